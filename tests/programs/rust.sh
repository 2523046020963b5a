# packages: rustc cargo
# size: large
# limits: memory_bytes=2147483648 wall_ms=120000 cpus=2 disk_bytes=1073741824
export HOME=$PWD CARGO_HOME=$PWD/cargo; cargo init -q --vcs none --name a . && printf 'fn main() { let n: i32 = std::thread::spawn(|| (1..=4).sum()).join().unwrap(); println!("{n}"); }\n' > src/main.rs && cargo run -q --offline
