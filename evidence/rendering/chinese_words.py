"""The Chinese of what an audit says beside its rules: sentences, in which `{…}` stands for what differs.

Both sides name a hole alike; where the Chinese has none, the English after it tells. One of NUMBERS holds a
number only, one called `said…` a sentence of this table.
The first sentence that fits is taken.
"""

NUMBERS = ("n", "m", "seq")

SAID = {
    # What was expected, and what was found.
    "a record": "一条记录",
    "a record before it": "此前有一条记录",
    "none": "没有",
    "those": "就是那些",
    "others": "是别的",
    "ok": "完好",
    "a ledger": "账本",
    "a new key": "未用过的键",
    "that of {seq}": "与第 {seq} 号记录的相同",
    "no such body": "没有这份正文",
    "a signature that holds": "成立的签名",
    "nobody known": "没有已知的签名者",
    "no key": "没有密钥",
    "another kind": "另一种记录",
    "a registered schema": "已登记的模式",
    "a step that may follow": "此处可以有的一步",
    "an artifact that verifies": "经得起核实的内容",
    "no such receipt": "没有这份回执",
    "no such decision": "没有这个决定",
    "erased by record {seq}": "已由第 {seq} 号记录删除",
    "{digest} is stored": "{digest} 还存着",
    "{n} records": "{n} 条记录",
    "{n} bytes": "{n} 字节",
    "{n} bodies": "{n} 份正文",
    "{n} rows": "{n} 行",
    "no body is stored under this digest": "没有这一摘要的正文",
    "the body has {n} bytes, not {m}": "正文有 {n} 字节，不是 {m}",
    "the body stored under {digest} is another": "{digest} 下存着的是另一份正文",
    "it is not written in its normalised form": "写法不是规范写法",
    "the body is not written in its canonical form": "正文不是规范形式",
    "record {seq} has no body": "第 {seq} 号记录没有正文",
    "a checkpoint of {n} records": "{n} 条记录的检查点",
    "one of {n}": "{n} 条记录的检查点",
    # What an auditor kept, and how the log stands to it.
    "policy, checkpoint of {n} records": "信任文件、{n} 条记录的检查点",
    "checkpoint of {n} records": "{n} 条记录的检查点",
    "proof of {n} records": "{n} 条记录的证明",
    "witness of {n} records": "{n} 条记录的见证",
    "the {anchor} is of another log, {log}": "{anchor}属于另一个日志 {log}",
    "the {anchor} is signed by no key that is known; the log has {n} records and may be from before the key"
    " was changed to that one: ask for the newer copy, whose record of the change says whether it was": (
        "没有已知的密钥签过 {anchor}；账本有 {n} 条记录，可能早于换成那把密钥：请取载有换钥记录的较新副本"
    ),
    "the {anchor} is signed by no key that is known": "没有已知的密钥签过 {anchor}",
    "the {said_anchor}: {why}": "{said_anchor}：{why}",
    "the {anchor} reaches beyond what can be read here": "{anchor}超出了这里读得出的部分",
    "a checkpoint of no records says nothing about a log that has some": (
        "0 条记录的检查点说明不了有记录的账本"
    ),
    "the policy names no key of {log}": "信任文件没有列出日志 {log} 的密钥",
    "no checkpoint that a key of the policy signed is here or was kept": (
        "这里没有，也没有另外给出，由信任文件所列密钥签过的检查点"
    ),
    "the quorum {quorum} of the policy has not witnessed what is here": (
        "信任文件要求的见证（{quorum}）没有见证过这里的内容"
    ),
    "beyond what the quorum {quorum} has witnessed: {which}": (
        "信任文件要求的见证（{quorum}）没有见证过{which}"
    ),
    "beyond what was kept: {which}, on the word of the log's key alone": (
        "{which}在您留存的之后，只凭日志的密钥"
    ),
    "beyond what was kept: {which}, on nobody's word": "{which}在您留存的之后，没有任何人担保",
    "`audit doctor` says what commonly makes a file such, and what to do about it": (
        "`audit doctor` 会说出文件变成这样的常见原因，以及怎么办"
    ),
    "record {seq}": "第 {seq} 号记录",
    "records {n}-{m}": "第 {n}–{m} 号记录",
    "{path} is being read; bytes of before stay until nobody does: say the command again": (
        "{path} 正在被读取；读完之前旧字节还在文件里，读完后再执行一次这条命令"
    ),
    "what was kept cannot be compared: {why}": "您留存的文件无法比对：{why}",
    "the witness has not seen {log}": "见证没有见过日志 {log}",
    "record {seq} is not in the tree of {n} records that was signed": (
        "第 {seq} 号记录不在签过名的 {n} 条记录的树中"
    ),
    "record {seq} rotates to {key}, which is no other key of the name {log}": (
        "第 {seq} 号记录换成的 {key} 不是日志 {log} 的另一把密钥"
    ),
    "the first key, {key}, is not of the log {log}": "第一把密钥 {key} 不是日志 {log} 的",
    "the signature of {key} does not hold": "{key} 的签名不成立",
    "the signature is not one of {key}": "签名不是 {key} 的",
    "signatures need the extra [sign]": "核对签名需要安装 [sign]",
    # Notes.
    "record {seq}, a signed ledger.restored, gave up a checkpoint of {n} records, which is the one that was"
    " kept": (
        "有签名的恢复记录放弃了一个见过的检查点，正是您留存的这一个（第 {seq} 号记录，{n} 条记录的检查点）"
    ),
    "record {seq}, a signed ledger.restored, gave up a checkpoint of {n} records": (
        "有签名的恢复记录放弃了一个见过的检查点（第 {seq} 号记录，{n} 条记录的检查点）"
    ),
    "signatures before the cut were checked over no record that can be read": (
        "截断处之前读得出的记录，没有一条核对过签名"
    ),
    "signatures before the cut were checked over the first {n} of the {m} records that can be read": (
        "截断处之前读得出的 {m} 条记录中，前 {n} 条核对过签名"
    ),
    "no record before the cut could be read": "截断处之前没有读得出的记录",
    "the body of record {seq} is not there; the tail may have told that it was erased": (
        "第 {seq} 号记录的正文不在；丢失的尾部可能写明它已被删除"
    ),
    "the body of record {seq} was lost with the tail; from there on only the chain of the records was"
    " checked": ("第 {seq} 号记录的正文随尾部丢失；从这里起只核对了记录的哈希链"),
    "compared with the {anchor}, and with nothing else outside the ledger": (
        "已与留存的 {anchor}比对，此外没有与账本以外的任何东西比对"
    ),
    "compared with nothing outside the ledger; `audit verify` does that": ("没有与账本以外的任何东西比对"),
    "the first {n} records are believed: the {anchor} covers them": "前 {n} 条记录予以采信：{anchor}覆盖它们",
    "no record comes after that checkpoint: there was no step to derive again": (
        "检查点之后没有新的记录，没有要重新推出的步骤"
    ),
    "the first record, 0, is of {first}: at {at} there was none": (
        "第一条记录（第 0 号）写于 {first}；在 {at} 时还没有记录"
    ),
    "the ledger has no record": "账本里没有记录",
    # What lost its end.
    "the file has {n} of its {m} bytes": "文件应有 {m} 字节，只有 {n} 字节",
    "line {n} is cut; the last one must say end": "第 {n} 行被截断；最后一行应写明 end",
    "line {n} is missing; the last one must say end": "缺第 {n} 行；最后一行应写明 end",
    "{n} of {m} records": "应有 {m} 条记录，只有 {n} 条",
    "{name}-wal is of another ledger, or of another state of this one; it was left out, and what it should"
    " hold is not here": ("{name}-wal 属于另一本账，或本账的另一时刻；没有采用它，它应有的内容不在这里"),
    "{name}-wal is of another ledger, or of another state of this one": (
        "{name}-wal 属于另一本账，或本账的另一时刻"
    ),
    "{name}-journal is of another database, or of another program that wrote to this one": (
        "{name}-journal 属于别的数据库，或属于写过本账的别的程序"
    ),
    "nothing was written; keep both files aside, then move the -journal away and ask `audit verify`": (
        "什么也没有写入；请先把两个文件都另存，再移走 -journal，然后用 `audit verify` 核实"
    ),
    "the file was cut: {why}": "文件被截短：{why}",
    "{path} has {n} bytes, fewer than the header of a SQLite file": (
        "{path} 只有 {n} 字节，比 SQLite 文件的头部还短"
    ),
    "the bundle was cut: {why}": "单文件包被截断：{why}",
    "the folder lost its end: {why}": "瓦片目录缺了末尾：{why}",
    # What was done to a text file.
    "the file is in UTF-16; save it as UTF-8": "文件是 UTF-16；请存为 UTF-8",
    "the file begins with a byte order mark and has CRLF line ends; save it without one, with LF": (
        "文件开头有 BOM，换行符是 CRLF；请去掉 BOM，换行用 LF"
    ),
    "the file begins with a byte order mark (BOM); save it as UTF-8 without one": (
        "文件开头有 BOM；请存为无 BOM 的 UTF-8"
    ),
    "the file has CRLF line ends; save it with LF": "文件的换行符是 CRLF；请存为 LF",
    "the file is a compressed archive; unpack it": "文件是压缩包；请先解压",
    "the file is a web page; fetch the ledger again": "文件是网页；请重新取账本",
    "the file is JSON of another kind": "文件是别的 JSON",
    # Policies, checkpoints, proofs, witnesses' files.
    "policy line {n}: {why}": "信任文件第 {n} 行：{why}",
    "policy: {why}": "信任文件：{why}",
    "the last line is not ended; the file may have been cut": "末行没有换行符，文件可能被截断",
    "the file is empty": "文件是空的",
    "a control character": "含有控制字符",
    "no line states the quorum": "没有写 quorum 的一行",
    "a second quorum": "quorum 写了两次",
    "not understood: {what}": "看不懂：{what}",
    "a second log with the key of {key}": "log 一行的密钥重复：{key}",
    "a second witness with the key of {key}": "witness 一行的密钥重复：{key}",
    "{name} is a member already": "{name} 已是别组的成员",
    "{least} of {n} members is no threshold": "{n} 个成员不能以 {least} 为门槛",
    "groups in groups, more than {n} deep": "组内有组，超过 {n} 层",
    "the name {name} is taken": "名称 {name} 已被占用",
    "no line before this one defines {name}": "此前没有一行定义 {name}",
    "is no point of the curve, or one under which anybody can sign: {what}": (
        "公钥不是曲线上的点，或人人都能以它签名：{what}"
    ),
    "is no verifier key: {what}": "不是公钥：{what}",
    "a key of kind {kind} does not sign here: {what}": "第 {kind} 类的密钥在此不签名：{what}",
    "the key has the id {id}, not {stated}": "密钥的编号是 {id}，不是 {stated}",
    "this is a whole log, no checkpoint, proof or witness's file; name it with --ledger, and here what `audit"
    " checkpoint` gives": (
        "这是一整本账，不是检查点、证明或见证文件；请用 --ledger 指向它，此处用 `audit checkpoint` 的输出"
    ),
    "{what} has {n} bytes; at most {m}": "{what} 有 {n} 字节；至多 {m}",
    "{what} has {n} signatures; at most {m}": "{what} 有 {n} 个签名；至多 {m}",
    "{what} has {n} hashes; at most {m}": "{what} 有 {n} 个哈希；至多 {m}",
    "{what} is not base64: {text}": "{what} 不是 base64：{text}",
    "{what} is not base64 in its one form: {text}": "{what} 不是规范写法的 base64：{text}",
    "{what} is not UTF-8: {why}": "{what} 不是 UTF-8：{why}",
    "{what} holds a control character": "{what} 含有控制字符",
    "{what} has no signature after an empty line": "{what} 的空行之后没有签名",
    "{what} has a line that is no signature: {text}": "{what} 有一行不是签名：{text}",
    "{what} has a signature without content: {text}": "{what} 有一个签名没有内容：{text}",
    "{what} has a line that is no hash: {text}": "{what} 有一行不是哈希：{text}",
    "{what} is no number of records: {text}": "{what} 不是记录数：{text}",
    "checkpoint has {n} lines, not 3": "检查点有 {n} 行，不是 3 行",
    "checkpoint.origin {why}": "检查点的日志名：{why}",
    "checkpoint.root has {n} bytes": "检查点的树根有 {n} 字节",
    "proof is not ASCII before its checkpoint": "证明在检查点之前含有非 ASCII 字符",
    "proof does not begin with {header} or has no checkpoint": "证明不以 {header} 开头，或没有检查点",
    "proof states no index": "证明没有写 index",
    "{path} is no witness file: {why}": "{path} 不是见证文件：{why}",
    "it does not state {schema} and its logs": "没有写明 {schema} 及其日志",
    "{key} did not cosign what stands for {log}": "{log} 下所存的，没有 {key} 的见证签名",
    "no known key of {log} signed this": "没有 {log} 的已知密钥签过它",
    "{log} shows {n} records; {m} were seen before": "{log} 只有 {n} 条记录；此前见过 {m} 条",
    "{log} at {n} does not begin with the {m} records seen before": (
        "{log} 在 {n} 条时，开头不是此前见过的 {m} 条记录"
    ),
    "the log was forked or rewritten; keep both checkpoints": "账本有分叉或被重写；两个检查点都请留存",
    "no log of the policy signed the checkpoint of {log} at {n}": (
        "信任文件所列的密钥都没有签过 {log} 在 {n} 条时的检查点"
    ),
    "the quorum {quorum} has not witnessed {log} at {n}": "见证（{quorum}）没有见证过 {log} 的前 {n} 条记录",
    "record {seq} rotates {old} of {log}, not {key}": "第 {seq} 号记录换的是 {log} 的 {old}，不是 {key}",
    "record {seq} is a restoral by {other} of {log}, not by {key}": (
        "第 {seq} 号记录的恢复由 {log} 的 {other} 签字，不是 {key}"
    ),
    "extra {what}": "extra 一行 {what}",
    # Ledgers that cannot be read.
    "there is no ledger at {path}: the database has no tables of ours": (
        "{path} 处没有账本：数据库里没有本程序的表"
    ),
    "there is no ledger at {path}": "{path} 处没有账本",
    "there is no bundle at {path}": "{path} 处没有单文件包",
    "there is nothing at {path}": "{path} 处什么也没有",
    "{path} is no tiles folder: {why}": "{path} 不是瓦片目录：{why}",
    "{path}: its records come again and again": "{path}：其中的记录反复出现",
    "{path}: its checkpoints come again and again": "{path}：其中的检查点反复出现",
    "{path}: its pages are named again and again": "{path}：其中的页被反复引用",
    "{path} is empty": "{path} 是空文件",
    "what another program began to write is taken back, by {name}": (
        "别的程序写到一半的内容已按 {name} 撤回"
    ),
    "it is empty": "它是空的",
    "it has no file called {name}": "其中没有名为 {name} 的文件",
    "{path} is not a file": "{path} 不是文件",
    "{path} is not an evidence ledger": "{path} 不是证据账本",
    "line 1 of the bundle: it is no header of external_evidence_bundle_v1": (
        "单文件包第 1 行：不是 external_evidence_bundle_v1 的开头"
    ),
    "line 1 of the bundle: it is no header of external_evidence_bundle_v1 ({said})": (
        "单文件包第 1 行：不是 external_evidence_bundle_v1 的开头（{said}）"
    ),
    "line {n} of the bundle: {why}": "单文件包第 {n} 行：{why}",
    "it is not written as a bundle's lines are": "写法不是单文件包的写法",
    "it holds no record, body or checkpoint": "没有记录、正文或检查点",
    "it is not base64: {why}": "不是 base64：{why}",
    "it changed while it was read: {why}": "读的时候它变了：{why}",
    "{path} has layout {layout}; this version reads layouts {first} to {last}": (
        "{path} 的布局是 {layout}；本版本能读 {first} 至 {last}"
    ),
    "use the version that wrote it": "请用写成它的那个版本",
    "{path} has other tables, indexes or triggers than a ledger": "{path} 的表、索引或触发器与账本的不同",
    "{path} has other tables, keys, triggers or rules than a ledger": (
        "{path} 的表、键、触发器或规则与账本的不同"
    ),
    "{path} has layout {layout}; this version reads {known}": "{path} 的布局是 {layout}；本版本能读 {known}",
    "{path} is held by another writer": "{path} 正被另一个写入者占用",
    "{path} changed while it was read": "{path} 在读的时候变了",
    "try again": "请再试一次",
    "move it away": "请把它移走",
    "nothing was written; move it and the -shm away, or put the ledger back that it is of": (
        "什么也没有写入；请把它和 -shm 移走，或放回它所属的账本"
    ),
    "`audit verify` judges what is left": "余下的部分由 `audit verify` 判断",
    "`audit verify` judges what stands before the cut": "截断处之前由 `audit verify` 判断",
    "record {seq} is missing or no record": "第 {seq} 号记录缺失，或不是记录",
    "pip install '.[sign]' in a checkout of the project": "请在项目的检出目录里运行 pip install '.[sign]'",
    "pip install '.[postgres]' in a checkout of the project": (
        "请在项目的检出目录里运行 pip install '.[postgres]'"
    ),
    "{path} cannot be read: {why}": "{path} 读不出：{why}",
    "{path} cannot be looked at: {why}": "{path} 无法查看：{why}",
    "{path} cannot be reached: {why}": "{path} 连接不上：{why}",
    "{path} cannot be copied to be read: {why}": "{path} 无法复制来读：{why}",
    "a ledger in PostgreSQL needs the extra postgres ({why})": "PostgreSQL 账本需要安装 [postgres]（{why}）",
    "stored bytes are text or a number": "存着的不是字节，而是文本或数字",
    "the file is damaged, and its error is no text": "文件已损坏，错误信息不是文本",
    "record or body {which} is another one when it is looked up": "按编号查到的记录或正文 {which} 是另一份",
    # SQLite's own words.
    "file is not a database": "不是 SQLite 文件",
    "database disk image is malformed": "SQLite 文件内部已损坏",
    # Steps out of order.
    "the plan is {status}": "计划的状态是 {status}",
    "attempt {n} follows attempt {m}": "第 {m} 次之后是第 {n} 次",
    "attempt {n} finished but was not running": "第 {n} 次执行结束了，却没有开始过",
    "the receipt is {status}; the execution that delivered it stated {stated}": (
        "回执的状态是 {status}，交来它的执行记录写的是 {stated}"
    ),
    "the receipt was already observed": "这份回执已经记录过",
    "the receipt was not observed for this plan": "这个计划没有记录过这份回执",
    "the evidence of this receipt is retired": "这份回执的证据已退休",
    "{what} cannot follow the retirement of this plan's evidence": "这个计划的证据已退休，其后不能再有{what}",
    "a receipt": "回执",
    "an execution": "执行",
    "the superseded decision is not in force": "被取代的决定不是有效的决定",
    "a decision cannot supersede itself": "决定不能取代自己",
    "decision {admission} is in force for this receipt": "这份回执已有有效的决定 {admission}",
    "{admission} was to follow": "随后应是 {admission}",
    "coverage was never read back for this decision": "这个决定从未在下游核到",
    "not read back from downstream: {refs}": "尚未在下游核到：{refs}",
    "the decision was superseded": "这个决定已被取代",
    "the decision was never recorded for this plan": "这个计划没有记录过这个决定",
    "the plan was already created": "这个计划已经记录过",
    "the plan's candidates are not the rows observed last": "计划的候选提供者不是最近一次观察到的",
    "the plan was never recorded": "没有记录过这个计划",
    # What the doctor sees.
    "it is {key}": "它是 {key}",
    "the ledger's is none": "账本没有密钥",
    "the ledger's is {key}": "账本的是 {key}",
    "it has the ledger's name: somebody may have written the ledger anew with another key": (
        "它有账本的名称：可能有人换一把密钥重写了账本"
    ),
    "{key} is in force": "有效的是 {key}",
    "{n} of {m} bodies": "{m} 份正文中的 {n} 份",
    "the ledger: {n} records": "账本：{n} 条记录",
    "{name} is signed by no key of this ledger": "{name} 没有本账的密钥签名",
    "{name} is of {n} other records": "{name} 是另外 {n} 条记录的",
    "it begins with {text}": "开头是",
    "expected {what}": "应为 {what}",
    "found {what}": "实为 {what}",
    "record {seq} is of {at}, the one before it of {before}": (
        "第 {seq} 号记录写于 {at}，前一条写于 {before}"
    ),
    "{n} times in all": "共 {n} 次",
    "{name}: {n} records, goes on after record {seq}": "{name}：{n} 条记录，第 {seq} 号之前相同，其后还有",
    "{name}: {n} records, differs at record {seq}": "{name}：{n} 条记录，从第 {seq} 号起不同",
    "{name}: {n} of {m} records": "{name}：{m} 条记录中的 {n} 条",
    "{name}: {n} records": "{name}：{n} 条记录",
    "{name}: {n} bytes": "{name}：{n} 字节",
    "{name} is there, {other} is not": "有 {name}，没有 {other}",
    "{n} hard links": "{n} 个硬链接",
    "process {n}": "进程 {n}",
    "its line ends were turned into CRLF too": "换行符也被改成了 CRLF",
    "with {code} undone": "还原 {code} 之后",
    "with that undone, all {n} records hold": "还原之后，{n} 条记录全部成立",
    "with that undone, {n} records are left": "还原之后，还剩 {n} 条记录",
    "its application id is {id}": "它的应用编号是 {id}",
    "layout {n}; this version knows {m}": "布局 {n}；本版本认得 {m}",
    "layout {n}": "布局 {n}",
    "the -shm tells of {n} frames, {m} of them brought over": "-shm 说有 {n} 帧，其中 {m} 帧已并入",
    "{n} frames of {m} bytes": "{n} 帧，每帧 {m} 字节",
    "{n} frames": "{n} 帧",
    "record {seq} {field}: {said}": "第 {seq} 号记录 {field}：{said}",
    "there is no key file at {path}": "{path} 处没有密钥文件",
    "others than its owner may read or write {path}": "主人以外的人也能读写 {path}",
    "{path} is no private key of the form PRIVATE+KEY+NAME+ID+BASE64": (
        "{path} 不是 PRIVATE+KEY+NAME+ID+BASE64 这样的私钥"
    ),
    "{path} the private key's id is not that of its content": "{path}：私钥的编号与内容不符",
    # A message with its cause or hint, and one about something that it names first; tried last.
    "{said} ({said_more})": "{said}（{said_more}）",
    "{what}: {said}": "{what}：{said}",
    "{said} ({more})": "{said}（{more}）",
}
