fn main() {
    println!("{}", ["O", "K"].concat());
}
