"""What a shard's neighbours tell of it reaches the archive: they are pinned together."""

from pathlib import Path

import pytest
import torch
from torch.distributed.checkpoint.state_dict_saver import save

from weightzip.daemon.jobs.encode import encode_checkpoint
from weightzip.daemon.jobs.spool import Spool
from weightzip.daemon.watch.scan import look_at
from weightzip.files.opening import open_alone


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pinned_shards_have_the_names_that_their_metadata_give_them(tmp_path: Path) -> None:
    state = {"model.weight": torch.ones(50, 40), "optim.state.weight.exp_avg": torch.zeros(50, 40)}
    save(state, checkpoint_id=tmp_path / "ckpt" / "step-5", no_dist=True)
    (tmp_path / "spool").mkdir()
    sighting = look_at(tmp_path / "ckpt", "step-5", ())
    assert sighting is not None
    pin = Spool(tmp_path / "spool").pin(tmp_path / "ckpt", sighting, 5, 1.0)
    encoded = encode_checkpoint("step-5", 5, pin.tree, workdir=tmp_path / "work")
    shard = next(entry for entry in encoded.entries if entry.path.endswith(".distcp"))
    record = encoded.archives[shard.digest or ""]
    with open_alone(encoded.new_archives[record.object_digest]) as archive:
        assert set(archive.keys()) == set(state)
