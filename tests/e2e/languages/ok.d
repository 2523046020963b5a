import std.stdio;

void main()
{
    writeln("O" ~ "K");
}
