// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <map>

#include "stoker/cli/command.h"
#include "stoker/cli/commands_registry.h"
#include "stoker/cli/rest.h"
#include "stoker/cli/version_text.h"
#include "stoker/core/error.h"

namespace stoker::cli {
namespace {

constexpr int kWrongUsage = 2;

// What CLI11 fills in for one command. Values stay texts: core/params.h judges them.
struct Bound {
  const Command* command = nullptr;
  CLI::App* app = nullptr;
  std::map<std::string, std::string> texts;
  std::map<std::string, bool> flags;
};

std::string option_help(const Param& param) {
  std::string help = param.help;
  if (!param.choices.empty()) {
    help += fmt::format(" ({})", fmt::join(param.choices, "|"));
  }
  if (!param.fallback.empty()) {
    help += fmt::format(" [{}]", param.fallback);
  }
  return help;
}

void add_param(Bound& bound, const Param& param, bool positional) {
  if (param.kind == ParamKind::Flag) {
    bound.app->add_flag(option_flag(param), bound.flags[param.name], option_help(param));
    return;
  }
  CLI::Option* option = bound.app->add_option(positional ? param.name : option_flag(param),
                                              bound.texts[param.name], option_help(param));
  option->type_name(param.value_name.empty() ? param_kind_name(param.kind) : param.value_name);
  option->required(param.required);
}

std::string examples_text(const Command& command) {
  return fmt::format("Examples:\n  {}", fmt::join(command.examples, "\n  "));
}

std::string usage_text(const Command& command) {
  std::string usage = "Usage: stoker " + command.name + " [OPTIONS]";
  for (const Param& param : command.positionals) {
    const std::string& name = param.value_name.empty() ? param.name : param.value_name;
    usage += param.required ? " " + name : " [" + name + "]";
  }
  return command.rest.empty() ? usage : usage + " [--] " + command.rest;
}

// CLI11 would print "stoker data synth [OPTIONS] dir" and never a user's command.
class Formatter : public CLI::Formatter {
 public:
  explicit Formatter(std::string usage) : usage_(std::move(usage)) { column_width(26); }
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return usage_ + "\n";
  }

 private:
  std::string usage_;
};

CLI::App* group_of(CLI::App& root, const std::string& group) {
  for (CLI::App* app : root.get_subcommands([&](CLI::App* a) { return a->get_name() == group; })) {
    return app;
  }
  return root.add_subcommand(group)->require_subcommand(0, 1)->group("Commands");
}

void bind(CLI::App& root, const Command& command, Bound& bound) {
  const size_t space = command.name.find(' ');
  CLI::App* parent = &root;
  if (space != std::string::npos) {
    const std::string verb = command.name.substr(space + 1);
    parent = group_of(root, command.name.substr(0, space));
    const std::string so_far = parent->get_description();
    parent->description(so_far.empty() ? "Commands: " + verb : so_far + ", " + verb);
  }
  bound.command = &command;
  bound.app = parent->add_subcommand(command.name.substr(space + 1), command.help);
  bound.app->group("Commands");
  bound.app->formatter(std::make_shared<Formatter>(usage_text(command)));
  bound.app->footer(examples_text(command));
  for (const Param& param : command.positionals) {
    add_param(bound, param, true);
  }
  for (const Param& param : command.options) {
    add_param(bound, param, false);
  }
}

ParamMap parsed_values(const Bound& bound) {
  std::map<std::string, std::string> given;
  ParamSchema schema = bound.command->positionals;
  schema.insert(schema.end(), bound.command->options.begin(), bound.command->options.end());
  for (const Param& param : schema) {
    const bool positional =
        &param - schema.data() < static_cast<std::ptrdiff_t>(bound.command->positionals.size());
    if (bound.app->count(positional ? param.name : option_flag(param)) > 0) {
      given[param.name] = param.kind == ParamKind::Flag ? "true" : bound.texts.at(param.name);
    }
  }
  Result<ParamMap> values = parse_params(schema, given);
  if (!values.ok()) {
    throw Error(ErrorCode::InvalidArgument, values.status().message(),
                fmt::format("see `stoker {} --help`", bound.command->name));
  }
  return *values;
}

// Cuts the user's command off before CLI11 sees it.
std::vector<std::string> take_rest(const std::vector<Command>& commands,
                                   std::vector<std::string>& args) {
  for (const Command& command : commands) {
    if (!command.rest.empty() && !args.empty() && args[0] == command.name) {
      SplitArgs split = split_rest(command, {args.begin() + 1, args.end()});
      split.own.insert(split.own.begin(), args[0]);
      args = std::move(split.own);
      return std::move(split.rest);
    }
  }
  return {};
}

int run_command(const Bound& bound, std::vector<std::string> rest) {
  const ParsedArgs args{.values = parsed_values(bound), .rest = std::move(rest)};
  if (!bound.command->rest.empty() && args.rest.empty()) {
    throw Error(ErrorCode::InvalidArgument, "no command given",
                fmt::format("for example: {}", bound.command->examples.front()));
  }
  return bound.command->run(args);
}

// Names the command whose options were wrong, where one was reached.
std::string usage_hint(const std::deque<Bound>& bounds) {
  for (const Bound& bound : bounds) {
    if (bound.app->parsed()) {
      return fmt::format("see `stoker {} --help`", bound.command->name);
    }
  }
  return "see `stoker --help`";
}

int run_app(std::vector<std::string> args) {
  CLI::App app("Keeps the GPU fed: finds what holds a training step back, and removes it.",
               "stoker");
  app.set_version_flag("--version", version_text(), "print the version and exit");
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.footer("`stoker COMMAND --help` shows options and examples.");
  const std::vector<Command> commands = all_commands();
  std::deque<Bound> bounds;  // CLI11 keeps addresses of what is in it
  for (const Command& command : commands) {
    bind(app, command, bounds.emplace_back());
  }
  std::vector<std::string> rest = take_rest(commands, args);
  try {
    std::reverse(args.begin(), args.end());
    app.parse(args);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorCode::InvalidArgument, error.what(), usage_hint(bounds));
  }
  for (const Bound& bound : bounds) {
    if (bound.app->parsed()) {
      return run_command(bound, std::move(rest));
    }
  }
  std::fputs(app.help().c_str(), stderr);
  return kWrongUsage;
}

int guarded_main(std::vector<std::string> args) {
  try {
    const int status = run_app(std::move(args));
    if (std::fflush(stdout) != 0 && status == 0) {
      message("cannot write to stdout");
      return 1;
    }
    return status;
  } catch (const Error& error) {
    message(error.what());
    if (!error.hint().empty()) {
      message("hint: " + error.hint());
    }
    const bool usage =
        error.code() == ErrorCode::InvalidArgument || error.code() == ErrorCode::NotFound;
    return usage ? kWrongUsage : 1;
  } catch (const std::exception& error) {
    message(fmt::format("internal error: {}", error.what()));
    return 1;
  }
}

}  // namespace
}  // namespace stoker::cli

int main(int argc, char** argv) {
  return stoker::cli::guarded_main({argv + 1, argv + argc});
}
