//! `rfvm completions` and `rfvm man`: made from the arguments themselves.

use std::io;
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::error::Error;
use crate::output::print;

const EXAMPLES: &str = "\
Examples:
  rfvm completions bash > ~/.local/share/bash-completion/completions/rfvm
  rfvm completions zsh > ~/.zfunc/_rfvm
  rfvm completions fish > ~/.config/fish/completions/rfvm.fish";

pub(crate) const MAN_EXAMPLES: &str = "\
Examples:
  rfvm man > rfvm.1
  rfvm man | man -l -";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// The shell to complete in
    shell: Shell,
}

pub(crate) fn completions(options: &Completions, mut command: Command) -> Result<ExitCode, Error> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut command, "rfvm", &mut script);
    print(|out| out.write_all(&script))
}

/// What the program hands back to a shell, as the manual page says it.
const EXIT_STATUS: &str = r#".SH "EXIT STATUS"
.TP
\fB0\fR
Success. A reader that closes the pipe early is none of the program's failures.
.TP
\fB2\fR
A mistake in the arguments, in the input or in the place of the output, told in one sentence on standard error. Nothing was written.
.TP
\fB130\fR
Ended by Ctrl-C. Nothing is left half written.
.SH ENVIRONMENT
.TP
\fBNO_COLOR\fR
Help and mistakes without colour, where it is set.
.TP
\fBOMP_NUM_THREADS\fR
How many threads a fit takes where \fB--threads\fR does not say so.
"#;

/// The manual page of the program, followed by those of its commands.
pub(crate) fn man(mut command: Command) -> Result<ExitCode, Error> {
    command.build();
    let mut page = Vec::new();
    let render = |command: &Command, page: &mut Vec<u8>| -> io::Result<()> {
        clap_mangen::Man::new(command.clone()).render(page)
    };
    render(&command, &mut page).map_err(Error::Output)?;
    page.extend_from_slice(EXIT_STATUS.as_bytes());
    let named = |sub: &&Command| sub.get_name() != "help";
    for sub in command.get_subcommands().filter(named) {
        render(sub, &mut page).map_err(Error::Output)?;
        for part in sub.get_subcommands().filter(named) {
            render(part, &mut page).map_err(Error::Output)?;
        }
    }
    print(|out| out.write_all(&page))
}
