"""``tulle completion SHELL``: print the script by which a shell completes commands, options and specs."""

from typing import Annotated

import typer

# typer defines the names of these shell variables.
_SCRIPTS = {
    "bash": """\
_tulle() {
    local IFS=$'\\n'
    # Specs contain colons and equal signs, so the line is split only at blanks.
    local line="${COMP_LINE:0:COMP_POINT}" words current
    IFS=$' \\t' read -r -a words <<< "$line"
    [[ "$line" == *[[:blank:]] ]] && words+=("")
    current="${words[-1]}"
    COMPREPLY=( $(COMP_WORDS="${words[*]}" COMP_CWORD=$((${#words[@]} - 1)) _TULLE_COMPLETE=complete_bash tulle) )
    # Readline replaces only the text after the last colon or equal sign.
    local prefix="${current%"${current##*[:=]}"}"
    COMPREPLY=( "${COMPREPLY[@]#"$prefix"}" )
    # A value follows an equal sign without a blank.
    [[ "${COMPREPLY[0]}" == *= ]] && compopt -o nospace
}
complete -o default -F _tulle tulle
""",
    "zsh": """\
#compdef tulle
_tulle() {
    eval "$(_TYPER_COMPLETE_ARGS="${words[1,$CURRENT]}" _TULLE_COMPLETE=complete_zsh tulle)"
}
compdef _tulle tulle
""",
    "fish": """\
complete --command tulle --no-files --condition \
"env _TULLE_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION=is-args _TYPER_COMPLETE_ARGS=(commandline -cp) tulle" \
--arguments \
"(env _TULLE_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION=get-args _TYPER_COMPLETE_ARGS=(commandline -cp) tulle)"
""".replace("\\\n", ""),
}


def _shells(incomplete: str) -> list[str]:
    return [shell for shell in _SCRIPTS if shell.startswith(incomplete)]


def completion(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.", autocompletion=_shells)],
) -> None:
    """Prints the completion script of a shell; in bash, use: source <(tulle completion bash)."""
    from tulle._internal.text import did_you_mean
    from tulle.errors import InputError

    if shell not in _SCRIPTS:
        raise InputError(f"unknown shell '{shell}'; {did_you_mean(shell, list(_SCRIPTS))}")
    print(_SCRIPTS[shell], end="")
