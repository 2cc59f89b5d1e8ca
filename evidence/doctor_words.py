"""What the doctor may say: each cause and note in words for whoever keeps a ledger, and what to do about it.

`benign`: True where the records were verified, on a copy without it where need be, and hold; False where it
must not be taken for harmless; None where nothing could be looked at that would tell.
"""

from typing import NamedTuple


class Words(NamedTuple):
    """A cause in both languages: what it is, what to do, and whether it is harmless."""

    benign: bool | None
    zh: str
    en: str
    do_zh: str
    do_en: str


CAUSES = {
    "missing-ledger": Words(
        False,
        "账本文件不在，旁边却有它的 -wal：只复制或只留下了 -wal。",
        "The ledger's file is not there, but its -wal is: only the -wal was copied or left.",
        "把同一时刻的账本文件放回 -wal 旁边；在那之前不要在此处新建账本，也不要删 -wal。",
        (
            "Put the ledger's file of the same moment back beside it; until then begin no ledger here "
            "and keep the -wal."
        ),
    ),
    "empty": Words(
        False,
        "文件是空的：复制中断、磁盘写满，或云盘只放了占位文件。",
        "The file is empty: an interrupted copy, a full disk, or a placeholder of a cloud drive.",
        "从来源或备份重新取一份。",
        "Fetch it again from where it came, or from a backup.",
    ),
    "zeros": Words(
        False,
        "文件开头全是零：断电或磁盘出错时，空间已分配而内容未写入。",
        "The file begins with nothing but zeros: its space was reserved and never written (power, disk).",
        "从备份恢复，再用 `ledger restore` 记录。",
        "Put a backup back and record that with `ledger restore`.",
    ),
    "git-pointer": Words(
        None,
        "这是 Git LFS 或 git-annex 的指针文件，不是账本本身。",
        "This is a pointer file of Git LFS or git-annex, not the ledger itself.",
        "运行 `git lfs pull`（或 `git annex get`）取回内容；账本最好不放进 Git。",
        "Run `git lfs pull` (or `git annex get`); better keep the ledger out of Git.",
    ),
    "web-page": Words(
        None,
        "这是一个网页（多半是登录页或错误页），下载时顶替了账本。",
        "This is a web page, likely of a login or an error, saved in the ledger's place.",
        "登录后重新下载，核对文件大小。",
        "Log in, download it again and compare the size.",
    ),
    "archive": Words(
        None,
        "这是一个压缩包，账本在里面。",
        "This is a compressed archive; the ledger is inside.",
        "先解压，再指向里面的文件。",
        "Unpack it and name the file inside.",
    ),
    "other-file": Words(
        None,
        "这是本程序的另一种文件，不是账本。",
        "This is another kind of file of this program, not a ledger.",
        "用 --ledger 指向账本、单文件包或瓦片目录。",
        "Name the ledger, a bundle or a tiles folder with --ledger.",
    ),
    "other-database": Words(
        None,
        "这是别的程序的 SQLite 文件。",
        "This is a SQLite file of another program.",
        "用 --ledger 指向账本。",
        "Name the ledger with --ledger.",
    ),
    "unknown-form": Words(
        False,
        "认不出这是什么文件：不是 SQLite，不是单文件包，也不是瓦片目录。",
        "It is no file of a known form: no SQLite file, no bundle, no tiles folder.",
        "核对路径，与来源比较大小和散列；必要时从备份恢复。",
        "Check the path; compare size and hash with where it came from; else put a backup back.",
    ),
    "newer-layout": Words(
        None,
        "账本由更新的版本写成，本版本读不了。",
        "The ledger was written by a newer version, which this one cannot read.",
        "升级 external-evidence。",
        "Upgrade external-evidence.",
    ),
    "torn": Words(
        False,
        "文件被截短：复制中断或磁盘写满。还剩多少、是否成立，由 `audit verify` 判断。",
        (
            "The file lost its end: an interrupted copy or a full disk. `audit verify` says what is left and "
            "whether it holds."
        ),
        "重新复制（写账停下时，连同 -wal）；没有别的副本时，剩下的就是这些。",
        ("Copy it again, with its -wal and while nobody writes; without another copy this is all."),
    ),
    "final-newline": Words(
        True,
        "单文件包的最后一个换行被去掉了（编辑器或剪贴板所为）。",
        "The bundle lost its final line feed, as editors and clipboards do.",
        "在文件末尾补一个换行（LF），再核实。",
        "Add a line feed at its end and verify again.",
    ),
    "crlf": Words(
        True,
        "换行符被改成了 CRLF（Git autocrlf、文本模式传输或 Windows 编辑器）。",
        (
            "Its line ends were turned into CRLF: Git's autocrlf, a transfer in text mode, an editor of "
            "Windows."
        ),
        "重新取原文件；在 .gitattributes 写 `* -text`，传输用二进制模式。",
        "Fetch the original again; say `* -text` in .gitattributes, transfer in binary mode.",
    ),
    "bom": Words(
        True,
        "文件开头被加了 BOM（Windows 记事本等编辑器所为）。",
        "A byte order mark was put before it, as some editors do.",
        "重新取原文件，或另存为“UTF-8 无 BOM”。",
        "Fetch the original again, or save it as UTF-8 without BOM.",
    ),
    "utf16": Words(
        True,
        "文件被转成了 UTF-16（PowerShell 的 `>` 会这样）。",
        "It was turned into UTF-16, as `>` of PowerShell does.",
        "重新导出，用 `-o FILE`，不用 `>`。",
        "Export it again with `-o FILE` in place of `>`.",
    ),
    "wal-missing": Words(
        False,
        "有 -shm 而没有 -wal：复制时漏了 -wal，或它被删了；其中的记录不在这里。",
        (
            "There is a -shm and no -wal: it was left out of a copy, or deleted; the records in it are "
            "not here."
        ),
        "从原处把 -wal 一起复制过来；找不回时用留存的检查点核实缺了多少。",
        (
            "Copy the -wal too from where it is; else compare with a kept checkpoint how many records "
            "are missing."
        ),
    ),
    "wal-foreign": Words(
        False,
        "-wal 不是这份账本的：账本或 -wal 被单独换过。",
        "The -wal is not of this file: one of the two was replaced without the other.",
        "先把两个文件都另存；把 -wal 移开后，账本文件自身是完好的。然后用留存的检查点核实是否少了记录。",
        (
            "Keep both files aside first; without the -wal the ledger's file holds by itself. Then "
            "compare with a checkpoint."
        ),
    ),
    "journal": Words(
        False,
        "旁边有 -journal：另一个程序或旧的 SQLite 写到一半停下了。",
        "A -journal lies beside it: another program, or an old SQLite, stopped in the middle of a write.",
        "先把两个文件都另存，不要单独删 -journal，再用 `audit verify` 核实。",
        "Keep both files aside, do not delete the -journal alone, then ask `audit verify`.",
    ),
    "older-than-seen": Words(
        False,
        "账本比见过的短：多半是放回了旧备份，或丢了 -wal；也可能是被截尾。",
        (
            "The ledger is shorter than what was seen: an older copy was put back, a -wal was lost, or "
            "it was cut off."
        ),
        "找回较新的副本；确是有意放回旧备份，就用 `ledger restore --reason …` 记录。",
        (
            "Find the newer copy; if the older one was put back on purpose, record that: `ledger "
            "restore --reason …`."
        ),
    ),
    "erased-returned": Words(
        False,
        "已删除的正文又在账本里了：放回了旧备份，或删除做到一半。",
        "Bodies that were erased are here again: an older copy was put back, or an erasure was cut short.",
        "运行 `ledger restore --reason …`（或再次 `ledger erase`），它们会再被删去。",
        "Run `ledger restore --reason …`, or `ledger erase` again: it takes them out once more.",
    ),
    "other-history": Words(
        False,
        "账本与见过的检查点不是同一段历史：两台机器各写各的，或被改写。这不能当作无害。",
        (
            "The ledger is not the history of a checkpoint that was seen: two machines wrote, or it was "
            "rewritten."
        ),
        "不要继续写账；把两份都留下，用 `audit diff` 比较，用 `audit verify --against` 核实。",
        "Stop writing; keep both, compare them with `audit diff` and ask `audit verify --against`.",
    ),
    "copies": Words(
        False,
        "旁边有同步软件的冲突副本，内容不在本账本中：两处同时写过。",
        (
            "A conflicting copy of a synchronising program lies beside it and holds what this ledger "
            "has not: two wrote."
        ),
        "账本不要放在同步文件夹里；用 `audit diff` 比较两份，多台机器请用 PostgreSQL。",
        (
            "Keep ledgers out of synchronised folders; compare the two with `audit diff`; for many "
            "machines take PostgreSQL."
        ),
    ),
    "replaced": Words(
        False,
        "还有进程开着已被替换或删除的旧账本文件：它写入的记录会丢。",
        "A process still holds a ledger file that was replaced or deleted here: what it appends is lost.",
        "停下那个进程，把它的文件与现在的账本比较，再启动。",
        "Stop that process, compare its file with the present one, then start it again.",
    ),
    "leftovers": Words(
        True,
        "有写到一半的临时文件：命令被中断，或磁盘满了。账本不受影响。",
        (
            "Temporary files were left: a command was interrupted, or the disk was full. The ledger "
            "does not need them."
        ),
        "没有命令在运行时可以删除。",
        "Delete them while no command runs.",
    ),
    "key-missing": Words(
        None,
        "密钥文件不在所说的位置。",
        "There is no key file where it is said to be.",
        "用 --key 或环境变量指向它；密钥应有离线备份。",
        "Name it with --key or the environment; a key needs a backup elsewhere.",
    ),
    "key-unusable": Words(
        None,
        "密钥文件读不了。",
        "The key file cannot be used.",
        "按所示原因改正；从备份取回原文件最稳妥。",
        "Mend what it says; the original from a backup is best.",
    ),
    "key-old": Words(
        True,
        "这是更换前的旧密钥。",
        "This is a key from before a rotation.",
        "用现在的密钥文件。",
        "Use the key file that is in force now.",
    ),
    "key-wrong": Words(
        False,
        "这把密钥不是这本账本的：拿错了密钥或账本，或有人换一把密钥重写了账本。",
        (
            "This key is not one of this ledger's: one of the two is the wrong one, or somebody wrote the "
            "ledger anew with another key."
        ),
        "核对 --key 和 --ledger 是否成对；确是一对，就用 `audit verify --policy` 核实。",
        "Check that --key and --ledger belong together; if they do, ask `audit verify --policy`.",
    ),
    "kept-unreadable": Words(
        None,
        "您留存的文件读不出检查点、证明、见证或信任文件，或其中的签名不成立。",
        "A file that you kept reads as no checkpoint, proof, witness's file or policy, or was changed since.",
        "重新取原文件。",
        "Fetch the original again.",
    ),
    "body-missing": Words(
        False,
        "瓦片目录里少了正文文件：没有全部复制过来，或有人删了它。",
        "The tiles folder lacks files of bodies: not all of it was copied, or somebody deleted them.",
        "从来源把整个目录重新复制一遍，再核实；来源也没有，就按被改动处理。",
        "Copy the whole folder again and verify it; if its source lacks them too, treat it as tampering.",
    ),
    "unexplained": Words(
        False,
        "`audit verify` 发现的问题，没有一个已知的无害原因能解释。在查明之前按被改动处理。",
        (
            "`audit verify` finds what no known harmless cause explains: treat it as tampering until it "
            "is explained."
        ),
        "保全现场：把文件原样复制一份，不要再写账；运行 `audit verify` 看是哪条记录、哪条规则。",
        (
            "Keep everything as it is: copy the files, stop writing, and let `audit verify` say which "
            "record and rule."
        ),
    ),
}

# Where the ledger is no file.
_OF_A_DATABASE = {
    "older-than-seen": CAUSES["older-than-seen"]._replace(
        zh="账本比见过的短：多半是恢复了数据库的旧备份，或切换到了落后的备库；也可能是被截尾。",
        en=(
            "The ledger is shorter than what was seen: an older backup was restored, a standby that lagged "
            "behind took over, or it was cut off."
        ),
    ),
    "unexplained": CAUSES["unexplained"]._replace(
        do_zh="保全现场：给数据库做一份转储，不要再写账；运行 `audit verify` 看是哪条记录、哪条规则。",
        do_en=(
            "Keep everything as it is: dump the database, stop writing, and let `audit verify` say which "
            "record and rule."
        ),
    ),
}


def words(code: str, *, database: bool = False) -> Words:
    """The words of a cause, of a ledger in a file or in a database."""
    return _OF_A_DATABASE.get(code, CAUSES[code]) if database else CAUSES[code]


NOTES = {
    "wal-in-use": (
        "-wal 里有尚未并入的内容：复制账本时要连它一起。",
        "The -wal holds something: copy it together with the ledger.",
    ),
    "wal-unused": (
        "-wal 里没有可用的内容：写入者停在提交之前，不影响账本。",
        "The -wal holds nothing usable: a writer stopped before its commit.",
    ),
    "shm-stale": (
        "-shm 是已结束的写入者留下的，SQLite 会重建。",
        "The -shm is of a writer that is gone; SQLite makes it anew.",
    ),
    "older-layout": (
        "旧版布局：照样可读，下次写入时升级。",
        "An older layout: it is read as it is, and brought up when it is next written.",
    ),
    "clock-back": (
        "写入者的时钟倒退过：后写的记录时间更早。次序以 seq 为准，账本照样成立；请校准那台机器的时钟。",
        "The writer's clock went back; the order is that of seq and holds. Synchronise that clock.",
    ),
    "read-only": (
        "此处只读：可以审计，不能写账。",
        "It is read-only here: it can be audited, not appended to.",
    ),
    "copy-behind": (
        "旁边有本账本的副本，内容都在本账本中。",
        "A copy lies beside it; all that it holds is in this ledger.",
    ),
    "network-drive": (
        "在网络盘上：多台机器同时写会损坏，请用 PostgreSQL。",
        "It is on a network drive, where several machines must not write; take PostgreSQL.",
    ),
    "other-names": (
        "文件有别的硬链接：从别名打开会各用各的 -wal。",
        "The file has other hard links, by which it would be opened with another -wal.",
    ),
}
