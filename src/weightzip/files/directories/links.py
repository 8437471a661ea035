"""Links that lead out of a directory: what they lead to does not lie in it, and would be lost with a kept link."""

import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from weightzip.errors import UsageError
from weightzip.files.directories.tree import Tree, add_suffix


def choose_links(tree: Tree, follow_links: bool | None) -> Tree:
    """Return a tree as it shall be compressed: links that lead out of it are files if they are followed.

    Links within the tree stay links, and so do those that lead nowhere.

    Raises:
        UsageError: a link leads out and nobody has said what is wanted, or a link to be followed leads to no file.
    """
    outward = [link for link in tree.links if _leads_out(tree.root, link)]
    if not outward or follow_links is False:
        return tree
    place = tree.root / outward[0]
    if follow_links is None:
        others = f" (and {len(outward) - 1} more)" if len(outward) > 1 else ""
        raise UsageError(
            f"{place}: is a link that leads out of {tree.root}, to {os.path.realpath(place)}{others}: pass --follow-links "
            "to compress what such links lead to, or --keep-links to store the links alone"
        )
    for link in outward:
        if not (tree.root / link).is_file():
            raise UsageError(
                f"{tree.root / link}: leads out of {tree.root}, but not to a file: compress {os.path.realpath(tree.root / link)} "
                "by itself, or pass --keep-links"
            )
    return _take_for_files(tree, outward)


def follow_as_archived(original: Tree, archives: Tree) -> Tree:
    """Return the tree of originals as it was compressed: a link of which there is an archive was followed."""
    files = set(archives.files)
    return _take_for_files(original, [link for link in original.links if add_suffix(link) in files])


def _take_for_files(tree: Tree, links: Collection[Path]) -> Tree:
    kept = {path: text for path, text in tree.links.items() if path not in links}
    return replace(tree, files=tuple(sorted([*tree.files, *links])), links=kept)


def _leads_out(root: Path, link: Path) -> bool:
    place = root / link
    return place.exists() and not Path(os.path.realpath(place)).is_relative_to(os.path.realpath(root))
