"""The bilingual words that several renderings share, Chinese first."""

BASES = {
    "stated": "来源陈述 stated",
    "observed": "直接观察 observed",
    "tested": "经过测试 tested",
    "inferred": "推断 inferred",
}
DISPOSITIONS = {"admit": "采纳 admit", "reject": "拒绝 reject"}
RECEIPT_STATUSES = {
    "succeeded": "成功 succeeded",
    "failed": "失败 failed",
    "no_evidence": "未找到证据 no_evidence",
}
RETIREMENTS = {"retire_ready": "可以退休 retire_ready", "retained": "保留 retained"}
REASONS = {
    "parent_rejected": "采纳方已拒绝 parent_rejected",
    "all_admitted_sources_projected": "采纳的来源已全部到达下游 all_admitted_sources_projected",
    "admitted_sources_not_yet_projected": "采纳的来源尚未全部到达下游 admitted_sources_not_yet_projected",
}
NONE = "无 none"
UNKNOWN = "未知 unknown"
YES, NO = "是 yes", "否 no"
ORIGINALS = "原始来源仍可使用 original sources stay available"
UNVERIFIED = "证据是否齐全未经核实 completeness is unverified"
