#include "app/cli/help_texts.hpp"
#include "app/cli/option_helpers.hpp"
#include "app/cli/verb_parsers.hpp"
#include "core/images/name_rules.hpp"

namespace caisson::cli {

namespace {

/// Refuses invalid image names before they get into a URL.
CLI::Validator image_check()
{
    auto check = [](std::string& text) {
        const auto problem = image_name_problem(text);
        return problem.empty() ? std::string() : "\"" + text + "\" " + problem;
    };
    return {check, "", "image"};
}

void check_allowed(const image_allow_options& given)
{
    if (given.images.empty() && (given.remove || !given.tenant.empty()))
        throw CLI::ValidationError("image allow", "give an image to allow or to remove");
}

}    // namespace

void verb_parsers::add_images()
{
    auto* const image = add_verb(app_, "image", "List, fetch, make and allow images", help::image());
    image->require_subcommand(1);

    auto [image_list_verb, image_list] = add<image_list_options>(*image, "ls", "List the images that the engine has", help::image_list());
    add_client(image_list_verb, image_list.client);
    add_json(image_list_verb, image_list.client);

    auto [image_pull_verb, image_pull] = add<image_pull_options>(*image, "pull", "Fetch images", help::image_pull());
    add_client(image_pull_verb, image_pull.client);
    add_json(image_pull_verb, image_pull.client);
    add_quiet(image_pull_verb, image_pull.quiet);
    image_pull_verb->add_option("IMAGE", image_pull.images, "such as python:3.12-slim")->required()->check(image_check());

    auto [image_build_verb, image_build] =
        add<image_build_options>(*image, "build", "Make an image by a recipe and load it", help::image_build());
    add_client(image_build_verb, image_build.client);
    add_json(image_build_verb, image_build.client);
    image_build_verb->add_option("--name", image_build.name, "what the image is called; default: as the recipe says")
        ->check(image_check())
        ->option_text("IMAGE");
    image_build_verb->add_flag("--installed", image_build.installed, "of this machine's own packages: quick, without the network");
    image_build_verb->add_option("--recipes", image_build.recipes, "where recipes are; default docker/images here")->option_text("DIR");
    add_quiet(image_build_verb, image_build.quiet);
    image_build_verb->add_option("RECIPE", image_build.recipe, "its name, or its folder")->required();

    auto [image_allow_verb, image_allow] =
        add<image_allow_options>(*image, "allow", "Allow images, or list those that are allowed", help::image_allow(), check_allowed);
    add_client(image_allow_verb, image_allow.client);
    add_json(image_allow_verb, image_allow.client);
    image_allow_verb->add_option("--tenant", image_allow.tenant, "for this one only; default all")->option_text("NAME");
    image_allow_verb->add_flag("--remove", image_allow.remove, "take it back");
    image_allow_verb->add_option("IMAGE", image_allow.images, "exact names")->check(image_check());

    auto [image_remove_verb, image_remove] = add<image_remove_options>(*image, "rm", "Remove images from the engine", help::image_remove());
    add_client(image_remove_verb, image_remove.client);
    add_json(image_remove_verb, image_remove.client);
    image_remove_verb->add_option("IMAGE", image_remove.images, "names or ids")->required()->check(image_check());
}

}    // namespace caisson::cli
