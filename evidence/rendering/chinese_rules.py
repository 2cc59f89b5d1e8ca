"""The Chinese of the rules that a finding can name."""

RULES = {
    # The chain.
    "record format (ledger.md section 1)": "记录符合规定的格式",
    "no gap": "序号连续，没有缺口",
    "seq is the place where the record is stored": "seq 就是记录所在的位置",
    "prev is the id of the record before it; one of the two was changed": (
        "前链：prev 是前一条记录的编号；两条之中有一条被改过"
    ),
    "one log, one name": "一本账只有一个日志名",
    "one key, one record": "一个幂等键只用于一条记录",
    # Bodies, indexes, files.
    "the body is the one that the record names": "正文就是记录所载正文摘要的那一份",
    "a body that was erased is gone": "已删除的正文不再存着",
    "a stored body is one that a record names": "存着的正文都有记录指明",
    "a body is there once": "同一份正文只存一次",
    "the table says what the records say": "表的内容与记录所载一致",
    "the one row of this table is called 1": "这张表只有一行，行号是 1",
    "no row stands where no record is": "没有记录的地方没有行",
    "the index says what the record says": "索引与记录所载一致",
    "every page and index fits the tables": "每一页、每个索引都与表相符",
    "the bundle is as it was exported": "单文件包与导出时一致",
    "a tile holds the hashes of its records": "瓦片里就是所属记录的哈希",
    "nothing after the last record": "最后一条记录之后没有别的内容",
    "no record is missing between others": "中间没有缺失的记录",
    "the file is a ledger": "这个文件是账本",
    "the database holds a ledger": "这个数据库里是账本",
    "the file can be read": "记录读得出来",
    # The tree, checkpoints, keys.
    "a checkpoint states the tree as it is stored": "检查点所载的树与存着的树一致",
    "a checkpoint is of stored records": "检查点覆盖的记录都存着",
    "a checkpoint is signed by the key of the last record that it covers": (
        "检查点由它覆盖的末条记录当时有效的密钥签名"
    ),
    "every commit of a log with a key is signed": "有密钥的账本，每次提交都有签名",
    "each key is signed for by the one before it": "每把密钥都由前一把密钥签字认可",
    "a log without a key has nobody who could sign this": "没有密钥的日志里，没有谁能签这一条",
    "no record that was seen is lost": "审计者见过的记录一条不少",
    "the log begins with the records of the checkpoint that was kept": (
        "账本的开头就是所留存检查点覆盖的那些记录"
    ),
    "the log is signed by a key that the policy names, or one that such a key vouches for": (
        "账本由信任文件所列的密钥，或由它认可的后继密钥签名"
    ),
    # Schemas and subjects.
    "a ledger opens once, at seq 0": "账本只在 0 号记录开账一次",
    "a registered schema is its body": "登记的模式就是它的正文",
    "a schema is registered before it is used": "模式先登记，后使用",
    "the artifact states its schema": "正文写明的模式与记录所载一致",
    "the subject is derived from the artifact": "记录所涉的编号由正文推出",
    "no artifact of a life, no subject": "不属于任何计划的记录不带编号",
    "a provider is called by a plugin": "提供者由插件调用",
    "invalid": "字段的值合乎规则",
    "identity_mismatch": "编号就是内容推出的编号",
    # The order of a life (lifecycle.md section 10).
    "plan-first": "先有计划，后有其余各步",
    "plan-once": "同一个计划只记录一次",
    "plan-from-observed-rows": "计划的候选提供者就是最近一次观察到的",
    "execution-needs-ready-plan": "只有就绪的计划才能执行",
    "attempts-count-up": "执行次数依次递增",
    "finish-needs-start": "先有执行开始，后有执行结束",
    "execution-states-its-receipt": "执行记录所载的状态与回执一致",
    "what an execution delivered is observed": "执行交来的回执都已记录",
    "receipt-once": "同一份回执只记录一次",
    "receipt-before-admission": "先有回执，后有决定",
    "one-decision-in-force": "一份回执只有一个有效的决定",
    "decision-in-force": "所指的是有效的决定",
    "supersede-in-force": "被取代的是有效的决定",
    "supersede-other": "决定不能取代自己",
    "supersede-names-successor": "取代之后的决定就是取代时指明的那一个",
    "a superseding decision comes into force": "取代旧决定的新决定随后生效",
    "coverage-before-retirement": "采纳的来源全部在下游核到之后才能退休",
    "nothing-after-retirement": "已退休的证据不再有任何步骤",
}
