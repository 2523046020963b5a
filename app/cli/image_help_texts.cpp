#include "app/cli/help_texts.hpp"

namespace caisson::cli::help {

std::string image()
{
    return R"(Images are what sandboxes are made of on the runtimes docker and gvisor. A server uses only those that it allows, by
their exact names.

Examples:
  caisson image ls                             what the server's engine has
  caisson image pull python:3.12-slim          fetch it, or a newer one
  caisson image allow registry.example/app:1   allow it for all tenants
  caisson image build python                   make one of Debian packages, by a recipe
  caisson run --image python:3.12-slim x.py)";
}

std::string image_list()
{
    return R"(Lists the images that the engine has and this key's tenant may use; a key with the scope admin sees all.

Examples:
  caisson image ls
  caisson image ls --json

Exit statuses: 0 done, 1 failed, 2 wrong usage.)";
}

std::string image_pull()
{
    return R"(Has the server fetch images from their registries, also those that it has, and waits for them. The images must be allowed
for this key's tenant. On a terminal it shows how far a pull is. Ctrl-C leaves the server to it.

Examples:
  caisson image pull python:3.12-slim node:20-slim
  caisson image pull --json registry.example/team/app:1

Exit statuses: 0 all are there, 1 one cannot be had, 2 wrong usage, 130 left.)";
}

std::string image_build()
{
    return R"(Runs a recipe on this machine and loads the image that it makes into the server's engine. A recipe is a folder with a program
`build`, which writes an archive as `docker load` takes it to the path that is its last argument. Caisson's own, which make images
of Debian packages without an engine and without root, are in docker/images of its source: bash, busybox, node, python. Needs
a key with the scope admin.

Examples:
  caisson image build python
  caisson image build --name own-python:1 --installed python
  caisson image build ./recipes/app

The image is to be allowed (`caisson image allow`) before it can be used.
Exit statuses: 0 done, 1 failed, 2 wrong usage or no such recipe, 130 interrupted.)";
}

std::string image_allow()
{
    return R"(Allows images by their exact names, for all tenants or one, in addition to those of the server's config; --remove takes that back.
What the config says of all is not for a tenant for which it has a list of its own, and neither is what is allowed for all
here. Without an image it lists all. Needs a key with the scope admin.

Examples:
  caisson image allow
  caisson image allow caisson-python:bookworm
  caisson image allow --tenant acme registry.example/team/app:1
  caisson image allow --remove --tenant acme registry.example/team/app:1

Exit statuses: 0 done, 1 failed, 2 wrong usage.)";
}

std::string image_remove()
{
    return R"(Removes images from the server's engine: a name, and with its last name the image. One that a container uses stays. Needs a key
with the scope admin.

Examples:
  caisson image rm python:3.11-slim

Exit statuses: 0 done, 1 failed, 2 wrong usage.)";
}

}    // namespace caisson::cli::help
