using System;
using System.Linq;

class Program
{
    static void Main() { Console.WriteLine(string.Concat(new[] { "O", "K" }.Select(each => each))); }
}
