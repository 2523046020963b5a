# packages: mono-mcs
# size: small
printf 'using System; using System.Linq; class A { static void Main() { Console.WriteLine(Enumerable.Range(1, 4).Sum()); } }\n' > a.cs
mcs -out:a.exe a.cs && mono a.exe
