#!/bin/bash
# The first process of a User-Mode Linux: serves a directory over NFS to itself, and lets a trainer write on the server's
# side while the daemon watches on the client's. Arguments: Python, tests folder, checkpoints to replay, empty folder.
# The guest is root on the host's files: whatever it writes, it writes into file systems in memory.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin PYTHONDONTWRITEBYTECODE=1
python=$1 tests=$2 source=$3 work=$4
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /var/lib/nfs
mount -t tmpfs tmpfs "$work"
mkdir -p /var/lib/nfs/{sm,sm.bak,v4recovery,rpc_pipefs} /run/lib/modules /run/rpcbind "$work"/{server,client,tmp}
touch /var/lib/nfs/{etab,rmtab,state}
ln -s "/usr/lib/uml/modules/$(uname -r)" "/run/lib/modules/$(uname -r)"
export HOME=$work TMPDIR=$work/tmp PYTHONPATH=$tests
ip link set lo up
for module in ipv6 nfsd nfsv4; do modprobe -d /run "$module" || exit 1; done
mount -t nfsd nfsd /proc/fs/nfsd
mount -t rpc_pipefs rpc_pipefs /var/lib/nfs/rpc_pipefs
rpcbind
exportfs -o rw,sync,no_root_squash,no_subtree_check,insecure,fsid=0 "127.0.0.1:$work/server"
rpc.mountd
rpc.nfsd -G 10 -L 10 2
mount -t nfs4 -o vers=4.2,addr=127.0.0.1 127.0.0.1:/ "$work/client" && cd "$tests" &&
  "$python" -m nfs.check "$source" "$work" 2>&1 && echo "NFS: all is well"
halt -f
