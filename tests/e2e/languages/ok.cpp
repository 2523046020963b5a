#include <iostream>
#include <string>
#include <thread>

int main()
{
    std::string text;
    std::thread([&text] { text = "OK"; }).join();
    std::cout << text << '\n';
}
