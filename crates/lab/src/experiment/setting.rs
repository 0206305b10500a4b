//! The values that an arm or a point of a sweep gives to the factors of its experiment.

use common::{Error, Result};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::factor::{Factor, Role, Shown, Values};

/// The most factors of an experiment.
const FACTORS_MAX: usize = 8;

/// A value for each factor. As JSON: the factors that an arm's name has, by their keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setting {
    /// In the order of the factors. None: the object of which the factor is an attribute is absent.
    values: [Option<u32>; FACTORS_MAX],
    factors: &'static [&'static Factor],
}

impl Setting {
    /// Every factor at its default.
    ///
    /// # Panics
    /// With more than eight factors.
    #[must_use]
    pub fn new(factors: &'static [&'static Factor]) -> Self {
        assert!(factors.len() <= FACTORS_MAX, "an experiment has at most {FACTORS_MAX} factors");
        let mut values = [None; FACTORS_MAX];
        for (value, factor) in values.iter_mut().zip(factors) {
            *value = factor.default;
        }
        Self { values, factors }
    }

    /// From an arm of a data file: the keys that an arm always has.
    ///
    /// # Errors
    /// ORA-00600 when one is absent or cannot be.
    pub fn read(factors: &'static [&'static Factor], arm: &toml::Table) -> Result<Self> {
        let always = factors.iter().filter(|factor| factor.shown == Shown::Always);
        always.into_iter().try_fold(Self::new(factors), |setting, factor| {
            let value = arm.get(factor.key).and_then(|value| factor.read(value));
            value
                .map(|value| setting.with(factor, value))
                .ok_or_else(|| Error::bug(format!("a published arm has no right '{}'", factor.key)))
        })
    }

    /// The factors of the experiment.
    #[must_use]
    pub fn factors(&self) -> &'static [&'static Factor] {
        self.factors
    }

    /// The values, to sort by.
    pub(crate) fn values(&self) -> [Option<u32>; FACTORS_MAX] {
        self.values
    }

    fn place(&self, factor: &Factor) -> Option<usize> {
        self.factors().iter().position(|known| *known == factor)
    }

    /// The same with another value; unchanged if the experiment has no such factor.
    #[must_use]
    pub fn with(mut self, factor: &Factor, value: u32) -> Self {
        if let Some(place) = self.place(factor) {
            self.values[place] = Some(value);
        }
        self
    }

    /// The value of a factor, with or without a meaning.
    #[must_use]
    pub fn value(&self, factor: &Factor) -> Option<u32> {
        self.values[self.place(factor)?]
    }

    /// The value of a factor that has a default; 0 for other factors.
    #[must_use]
    pub fn number(&self, factor: &Factor) -> u32 {
        self.value(factor).unwrap_or(0)
    }

    /// A switch that is on.
    #[must_use]
    pub fn is_on(&self, factor: &Factor) -> bool {
        self.number(factor) != 0
    }

    /// The word of a factor that has words; empty elsewhere.
    #[must_use]
    pub fn word(&self, factor: &Factor) -> &'static str {
        match factor.values {
            Values::Words(words) => words.get(self.number(factor) as usize).copied().unwrap_or_default(),
            _ => "",
        }
    }

    /// The value of a factor where it means something.
    #[must_use]
    pub fn counted(&self, factor: &Factor) -> Option<u32> {
        self.value(factor).filter(|_| (factor.counts)(self))
    }

    fn is_changed(&self, factor: &Factor) -> bool {
        self.value(factor) != factor.default
    }

    /// The same arm, whatever the crossed factors are.
    #[must_use]
    pub fn is_arm(&self, other: &Self) -> bool {
        let mut factors = self.factors().iter().filter(|factor| factor.role != Role::Crossed);
        factors.all(|factor| self.value(factor) == other.value(factor))
    }

    /// Sets factors without a meaning to their defaults. A factor without a default keeps its value.
    #[must_use]
    pub(crate) fn counting(self) -> Self {
        self.factors().iter().fold(self, |setting, factor| match factor.default {
            Some(default) if !(factor.counts)(&setting) => setting.with(factor, default),
            _ => setting,
        })
    }

    /// Factors of the name, with their values.
    fn named(&self) -> impl Iterator<Item = (&'static Factor, u32)> {
        let is_named = |factor: &Factor| match factor.shown {
            Shown::Always => true,
            Shown::Changed => self.is_changed(factor),
            Shown::Apart => false,
        };
        self.factors().iter().filter(move |factor| is_named(factor)).filter_map(|factor| {
            let value = self.value(factor)?;
            Some((*factor, value))
        })
    }

    /// `manual, freelists 5, INITRANS 10`.
    #[must_use]
    pub fn name(&self) -> String {
        self.named().map(|(factor, value)| (factor.words)(value)).collect::<Vec<_>>().join(", ")
    }

    /// The name in a sweep, without values that mean nothing.
    #[must_use]
    pub fn label(&self) -> String {
        let words =
            self.named().map(
                |(factor, value)| {
                    if (factor.counts)(self) { (factor.words)(value) } else { factor.ignored.to_owned() }
                },
            );
        words.filter(|words| !words.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// `M5i10`, for lists: the first letter of a word, and numbers behind their letters.
    #[must_use]
    pub fn short(&self) -> String {
        let one = |(factor, value): (&Factor, u32)| match factor.values {
            Values::Words(_) => self.word(factor).chars().take(1).flat_map(char::to_uppercase).collect(),
            _ => format!("{}{value}", factor.short),
        };
        self.named().map(one).collect()
    }

    /// Every factor by its key; null where it means nothing.
    #[must_use]
    pub fn all_json(&self) -> Map<String, Value> {
        let factors = self.factors().iter();
        factors.map(|factor| (factor.key.to_owned(), factor.json(self.counted(factor)))).collect()
    }
}

impl Serialize for Setting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.named().map(|(factor, value)| (factor.key, factor.json(Some(value)))))
    }
}
