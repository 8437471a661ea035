"""What is committed is what the store says."""

from pathlib import Path

from support.manifests import make_manifest
from support.repositories import Publisher
from weightzip.daemon.jobs.ledger import Ledger, manifest_content
from weightzip.daemon.jobs.pinned import content_key
from weightzip.daemon.store import open_store
from weightzip.daemon.watch.scan import look_at


def open_ledger(publisher: Publisher) -> Ledger:
    ledger = Ledger()
    ledger.open(publisher.repository)
    return ledger


def make_publisher(tmp_path: Path) -> Publisher:
    publisher = Publisher(open_store(str(tmp_path / "store")), tmp_path)
    publisher.publish_chain(100, 200)
    return publisher


def test_a_sighting_of_a_published_checkpoint_is_found(tmp_path: Path) -> None:
    publisher = make_publisher(tmp_path)
    ledger = open_ledger(publisher)
    source = publisher.source(100)
    sighting = look_at(source.parent, source.name, ())
    assert sighting is not None
    found = ledger.find("checkpoint-100", 100, content_key(sighting))
    assert found is not None
    assert found.identity == publisher.manifests[100].identity
    assert ledger.find("checkpoint-100", 200, content_key(sighting)) is None
    assert ledger.find("other", 100, content_key(sighting)) is None


def test_other_times_are_other_content(tmp_path: Path) -> None:
    publisher = make_publisher(tmp_path)
    ledger = open_ledger(publisher)
    source = publisher.source(100)
    (source / "config.json").touch()
    sighting = look_at(source.parent, source.name, ())
    assert sighting is not None
    assert ledger.find("checkpoint-100", 100, content_key(sighting)) is None


def test_sightings_are_what_was_on_disk(tmp_path: Path) -> None:
    publisher = make_publisher(tmp_path)
    ledger = open_ledger(publisher)
    assert ledger.last() is not None  # reads a manifest
    source = publisher.source(200)
    sighting = look_at(source.parent, source.name, ())
    assert sighting is not None
    known = ledger.sightings()["checkpoint-200"]
    assert content_key(known) == content_key(sighting)
    assert known.kind == "directory"


def test_last_and_shapes(tmp_path: Path) -> None:
    publisher = make_publisher(tmp_path)
    ledger = open_ledger(publisher)
    assert [key.step for key in ledger.checkpoints()] == [100, 200]
    newest = ledger.last()
    assert newest is not None
    assert newest.step == 200
    ledger.add(publisher.manifests[100])
    assert ledger.last() == newest, "an older save that was committed later is not the last"
    later = make_manifest(50, mtime_ns=2 * 10**18)
    ledger.add(later)
    assert ledger.last() == later, "a run that was set back"
    ledger.remove([later])
    assert ledger.last() == newest
    assert ledger.shapes()["checkpoint-#"]["model.safetensors"] == 1
    assert ledger.count_since(publisher.manifests[100]) == 1
    assert ledger.count_since(newest) == 0
    assert ledger.find_identity(publisher.manifests[200].identity) == publisher.manifests[200]
    assert ledger.find_identity("0" * 64) is None


def test_a_copy_is_known_until_its_original_is_removed(tmp_path: Path) -> None:
    publisher = make_publisher(tmp_path)
    ledger = open_ledger(publisher)
    original = publisher.manifests[100]
    copy = (("model.safetensors", 1, 2),)
    ledger.add_copy("copy", 100, copy, original)
    assert ledger.find("copy", 100, copy) == original
    assert ledger.find("copy", 200, copy) is None
    ledger.remove([original])
    assert ledger.find("copy", 100, copy) is None
    assert ledger.was_pruned("copy", copy)


def test_a_damaged_manifest_is_passed_over(tmp_path: Path) -> None:
    publisher = make_publisher(tmp_path)
    ledger = open_ledger(publisher)
    publisher.store.put_bytes(ledger.checkpoints()[-1].key, b"{}")
    newest = ledger.last()
    assert newest is not None
    assert newest.step == 100


def test_what_was_pruned_is_remembered(tmp_path: Path) -> None:
    publisher = make_publisher(tmp_path)
    ledger = open_ledger(publisher)
    manifest = publisher.manifests[100]
    ledger.remove([manifest])
    assert [key.step for key in ledger.checkpoints()] == [200]
    assert ledger.was_pruned("checkpoint-100", manifest_content(manifest))
    assert not ledger.was_pruned("checkpoint-200", manifest_content(manifest))
