//! A block of bind values: `BINDS #n:` and the indented lines after it.
//!
//! The reader keeps the block's text; its lines are parsed on request, so that a summary does not pay for them.
//!
//! ```text
//! 10g and later                                   8i, 9i
//!  Bind#0                                          bind 0: dty=1 mxl=32(03) mal=00 scl=00 pre=00 oacflg=03 …
//!   oacdty=01 mxl=32(03) mxlc=00 mal=00 …            bfp=01 bln=32 avl=03 flg=05
//!   oacflg=03 fl2=1000000 frm=01 csi=873 …           value="abc"
//!   kxsbbbfp=7f00  bln=32  avl=03  flg=05
//!   value="abc"
//! ```

/// Bytes after which a value without its closing quote is given up: a trace prints 4,000 at most, in any encoding.
const LONGEST_VALUE: usize = 1 << 14;

/// All binds of one execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binds<'a> {
    pub cursor: u64,
    /// The lines of the block, each ended by LF.
    pub text: &'a str,
}

/// One bind. Figures as printed; what a release does not print is `None`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Bind<'a> {
    /// From 0.
    pub position: u32,
    /// `oacdty` or `dty`: 1 VARCHAR2, 2 NUMBER, 12 DATE, …
    pub data_type: Option<u32>,
    /// `mxl`: bytes at most.
    pub maximum_length: Option<u32>,
    /// `pre`, digits.
    pub precision: Option<u32>,
    /// `scl`.
    pub scale: Option<i32>,
    /// `csi`: number of the character set.
    pub character_set: Option<u32>,
    /// `bln`: bytes of the buffer.
    pub buffer_length: Option<u32>,
    /// `avl`: bytes of the value; 0 is NULL.
    pub actual_length: Option<u32>,
    /// As printed, without its quotes; several lines where the value has them.
    pub value: Option<&'a str>,
    /// The block has no value of this bind.
    pub undefined: bool,
}

impl<'a> Binds<'a> {
    /// The binds in order.
    pub fn iter(&self) -> impl Iterator<Item = Bind<'a>> + use<'a> {
        let mut rest = self.text;
        std::iter::from_fn(move || {
            // Skip to the next start of a bind.
            let mut bind = loop {
                if rest.is_empty() {
                    return None;
                }
                let (line, after) = split_line(rest);
                rest = after;
                if let Some(position) = start(line) {
                    let mut bind = Bind { position, ..Bind::default() };
                    // 9i goes on with fields in the same line.
                    if let Some((_, fields)) = line.split_once(':') {
                        take_fields(&mut bind, fields);
                    }
                    break bind;
                }
            };
            while !rest.is_empty() {
                let (line, after) = split_line(rest);
                if start(line).is_some() {
                    break;
                }
                let trimmed = line.trim_start();
                if let Some(value) = trimmed.strip_prefix("value=") {
                    let (value, after) = take_value(&rest[line.len() - value.len()..], value, after);
                    bind.value = Some(value);
                    rest = after;
                    continue;
                }
                if trimmed.starts_with("No oacdef") {
                    bind.undefined = true;
                } else {
                    take_fields(&mut bind, trimmed);
                }
                rest = after;
            }
            Some(bind)
        })
    }
}

/// Parts the first line, its LF taken off, from the rest.
fn split_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// The position, if a bind starts at this line.
fn start(line: &str) -> Option<u32> {
    let line = line.trim_start();
    let rest = line.strip_prefix("Bind#").or_else(|| line.strip_prefix("bind "))?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// A value: quoted up to a closing quote at the end of a line, else its own line. `from_value` begins where the value
/// does.
fn take_value<'a>(from_value: &'a str, first_line: &'a str, after: &'a str) -> (&'a str, &'a str) {
    let Some(open) = first_line.strip_prefix('"') else { return (first_line, after) };
    if let Some(whole) = open.strip_suffix('"') {
        return (whole, after);
    }
    match from_value[1..].find("\"\n") {
        Some(end) => (&from_value[1..=end], &from_value[end + 3..]),
        // Never closed: what there is of the first line.
        None => (open, after),
    }
}

fn take_fields(bind: &mut Bind<'_>, text: &str) {
    fn leading<T: std::str::FromStr>(text: &str) -> Option<T> {
        let end = text.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(text.len());
        text[..end].parse().ok()
    }
    for word in text.split_ascii_whitespace() {
        let Some((key, value)) = word.split_once('=') else { continue };
        match key {
            "oacdty" | "dty" => bind.data_type = leading(value),
            "mxl" => bind.maximum_length = leading(value),
            "pre" => bind.precision = leading(value),
            "scl" => bind.scale = leading(value),
            "csi" => bind.character_set = leading(value),
            "bln" => bind.buffer_length = leading(value),
            "avl" => bind.actual_length = leading(value),
            _ => {}
        }
    }
}

/// True: `line` continues a block whose text so far is `block`. The caller has checked that it begins no record.
pub(super) fn continues(block: &str, line: &str) -> bool {
    line.is_empty()
        || line.starts_with([' ', '\t'])
        || line.starts_with("kkscoacd")
        || line.starts_with("Dump of memory")
        || is_memory_dump(line)
        || value_is_open(block)
}

/// `7F66FBF5E2A0 00000000 … [....]`: a value dumped as bytes.
fn is_memory_dump(line: &str) -> bool {
    let mut words = line.split(' ');
    words.next().is_some_and(|word| word.len() >= 8 && word.bytes().all(|b| b.is_ascii_hexdigit()))
        && line.ends_with(']')
}

/// True: the last value of the block has an opening quote and no closing one. No value is longer than
/// [`LONGEST_VALUE`].
fn value_is_open(block: &str) -> bool {
    let Some(at) = block.rfind("value=\"") else { return false };
    block.len() - at < LONGEST_VALUE && !block[at + 7..].contains("\"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binds(text: &str) -> Vec<Bind<'_>> {
        Binds { cursor: 1, text }.iter().collect()
    }

    #[test]
    fn the_later_form() {
        let text = "\n Bind#0\n  oacdty=01 mxl=32(03) mxlc=00 mal=00 scl=00 pre=00\n  oacflg=03 fl2=1000000 frm=01 csi=873 siz=32 \
                    off=0\n  kxsbbbfp=7f00  bln=32  avl=03  flg=05\n  value=\"abc\"\n Bind#1\n  No oacdef for this bind.\n \
                    Bind#2\n  oacdty=02 scl=-1\n  avl=02\n  value=-17\n";
        let found = binds(text);
        assert_eq!(found.len(), 3);
        let expected = Bind {
            position: 0,
            data_type: Some(1),
            maximum_length: Some(32),
            precision: Some(0),
            scale: Some(0),
            character_set: Some(873),
            buffer_length: Some(32),
            actual_length: Some(3),
            value: Some("abc"),
            undefined: false,
        };
        assert_eq!(found[0], expected);
        assert!(found[1].undefined && found[1].value.is_none());
        assert_eq!((found[2].scale, found[2].value, found[2].precision), (Some(-1), Some("-17"), None));
    }

    #[test]
    fn the_earlier_form() {
        let found = binds(
            " bind 0: dty=2 mxl=22(21) pre=00\n   bfp=01 bln=22 avl=02 flg=05\n   value=7\n bind 1: (No oacdef)\n",
        );
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].data_type, found[0].actual_length, found[0].value), (Some(2), Some(2), Some("7")));
    }

    #[test]
    fn a_value_of_several_lines() {
        let text = " Bind#0\n  value=\"one\n Bind#9 is text\ntwo\"\n Bind#1\n  value=\"\"\n";
        let found = binds(text);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].value, Some("one\n Bind#9 is text\ntwo"));
        assert_eq!(found[1].value, Some(""));
        assert!(value_is_open(" Bind#0\n  value=\"one\n"));
        assert!(!value_is_open(text));
        assert_eq!(binds(" Bind#0\n  value=\"cut")[0].value, Some("cut"));
        assert_eq!(binds(" Bind#0\n  value=\"\n")[0].value, Some(""));
    }
}
