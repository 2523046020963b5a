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

}    // namespace

void verb_parsers::add_images()
{
    auto* const image = add_verb(app_, "image", "List, fetch, make and allow images", help::image());
    image->require_subcommand(1);

    image_list_verb_ = add_verb(*image, "ls", "List the images that the engine has", help::image_list());
    add_client(image_list_verb_, image_list_.client);
    add_json(image_list_verb_, image_list_.client);

    image_pull_verb_ = add_verb(*image, "pull", "Fetch images", help::image_pull());
    add_client(image_pull_verb_, image_pull_.client);
    add_json(image_pull_verb_, image_pull_.client);
    add_quiet(image_pull_verb_, image_pull_.quiet);
    image_pull_verb_->add_option("IMAGE", image_pull_.images, "such as python:3.12-slim")->required()->check(image_check());

    image_build_verb_ = add_verb(*image, "build", "Make an image by a recipe and load it", help::image_build());
    add_client(image_build_verb_, image_build_.client);
    add_json(image_build_verb_, image_build_.client);
    image_build_verb_->add_option("--name", image_build_.name, "what the image is called; default: as the recipe says")
        ->check(image_check())
        ->option_text("IMAGE");
    image_build_verb_->add_flag("--installed", image_build_.installed, "of this machine's own packages: quick, without the network");
    image_build_verb_->add_option("--recipes", image_build_.recipes, "where recipes are; default docker/images here")->option_text("DIR");
    add_quiet(image_build_verb_, image_build_.quiet);
    image_build_verb_->add_option("RECIPE", image_build_.recipe, "its name, or its folder")->required();

    image_allow_verb_ = add_verb(*image, "allow", "Allow images, or list those that are allowed", help::image_allow());
    add_client(image_allow_verb_, image_allow_.client);
    add_json(image_allow_verb_, image_allow_.client);
    image_allow_verb_->add_option("--tenant", image_allow_.tenant, "for this one only; default all")->option_text("NAME");
    image_allow_verb_->add_flag("--remove", image_allow_.remove, "take it back");
    image_allow_verb_->add_option("IMAGE", image_allow_.images, "exact names")->check(image_check());

    image_remove_verb_ = add_verb(*image, "rm", "Remove images from the engine", help::image_remove());
    add_client(image_remove_verb_, image_remove_.client);
    add_json(image_remove_verb_, image_remove_.client);
    image_remove_verb_->add_option("IMAGE", image_remove_.images, "names or ids")->required()->check(image_check());
}

std::optional<command> verb_parsers::chosen_image()
{
    if (*image_list_verb_)
        return image_list_;
    if (*image_pull_verb_)
        return image_pull_;
    if (*image_build_verb_)
        return image_build_;
    if (*image_remove_verb_)
        return image_remove_;
    if (!*image_allow_verb_)
        return std::nullopt;
    if (image_allow_.images.empty() && (image_allow_.remove || !image_allow_.tenant.empty()))
        throw CLI::ValidationError("image allow", "give an image to allow or to remove");
    return image_allow_;
}

}    // namespace caisson::cli
