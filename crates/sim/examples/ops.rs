use sim::workload::{Plan, record};
fn main() {
    let a: Vec<usize> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let r = record(&Plan::new(a[0] as u64, 60), &[], sim::disk::Lie::None).unwrap();
    for n in a[1]..a[2].min(r.operations.len()) {
        let s = format!("{:?}", r.operations[n]);
        println!("{n} {}", s.chars().take(120).collect::<String>());
    }
    println!("{:?}", Plan::new(a[0] as u64, 60));
}
