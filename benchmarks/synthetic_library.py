"""A library of invented standards of any size: `python -m benchmarks.synthetic_library 100000 > list.csv`.

The same size and seed give the same records on every machine. Titles are built as real ones are: a subject
out of some four hundred, often with what it is for, and an ending out of some hundred; families of parts;
test methods for a property of a material. Codes run through the national, trade, local and group series
with their usual years; about one standard in four has an earlier edition, most often under the same title.
Every tenth subject is followed by a rarer character or two, as names of substances and species are.
"""

import argparse
import csv
import random
import sys
from collections.abc import Iterator

from providers.standards.library import COLUMNS, Library, StandardRecord


def _words(text: str) -> list[str]:
    return text.split()


_SUBJECTS = _words("""
    混凝土结构 钢结构 砌体结构 木结构 铝合金结构 组合结构 预应力混凝土 轻骨料混凝土 喷射混凝土 沥青路面
    水泥路面 公路桥涵 公路隧道 城市桥梁 人行天桥 铁路路基 铁路轨道 高速铁路 城市轨道交通 有轨电车 机场道面
    港口码头 船闸 水电站 水库大坝 堤防 灌溉渠道 泵站 建筑边坡 建筑基坑 桩基础 复合地基 湿陷性黄土 膨胀土
    冻土地区 岩土锚杆 地下工程 防水卷材 屋面 玻璃幕墙 外墙外保温 建筑门窗 吊顶 地面 抹灰砂浆 预拌砂浆
    烧结多孔砖 蒸压加气混凝土砌块 石膏板 陶瓷砖 卫生洁具 给水排水管道 燃气管道 供热管网 通风空调 地源热泵
    太阳能热水 建筑电气 智能建筑 防雷接地 火灾自动报警 自动喷水灭火 气体灭火 防排烟 消防应急照明
    人民防空地下室 医院洁净手术部 中小学校 幼儿园 养老设施 图书馆 体育场馆 剧场 汽车库 加油加气站 数据中心
    冷库 粮食仓库 烟囱 筒仓 电视塔 输电线路 变电站 配电网 风力发电 光伏发电 核电厂 火力发电厂 燃气轮机 锅炉
    压力容器 压力管道 起重机械 电梯 自动扶梯 客运索道 场车 叉车 挖掘机 推土机 压路机 混凝土泵 塔式起重机
    施工升降机 脚手架 模板 高处作业吊篮 安全网 安全带 防护服 防毒面具 护目镜 耳塞 矿井通风 瓦斯抽放 煤层气
    煤矿井下 掘进机 采煤机 液压支架 带式输送机 提升机 爆破器材 民用爆炸物 尾矿库 选矿 铁矿石 锰矿石 铜精矿
    铅锌矿 钨精矿 锡锭 铝锭 镁合金 钛合金 镍基合金 硬质合金 稀土永磁 钕铁硼 不锈钢 弹簧钢 轴承钢 齿轮钢
    无缝钢管 焊接钢管 热轧带肋钢筋 钢绞线 钢丝绳 镀锌钢板 硅钢片 铸铁件 铸钢件 锻件 粉末冶金 焊条 焊丝
    焊接接头 紧固件 螺栓 螺母 垫圈 铆钉 销 键 滚动轴承 滑动轴承 齿轮 链条 三角皮带 联轴器 减速机 液压泵
    液压缸 气动元件 密封圈 阀门 泵 压缩机 风机 制冷机 换热器 离心机 过滤器 干燥机 粉碎机 数控机床 车床 铣床
    磨床 锯床 冲床 注塑机 模具 刀具 砂轮 量具 千分尺 游标卡尺 水准仪 全站仪 经纬仪 测距仪 天平 砝码 压力表
    温度计 热电偶 流量计 电能表 互感器 示波器 频谱分析仪 信号发生器 色谱仪 质谱仪 光谱仪 显微镜 硬度计
    试验机 测厚仪 酸度计 电导率仪 变压器 电抗器 断路器 隔离开关 避雷器 电力电缆 光缆 绝缘子 电机 发电机
    电动机 蓄电池 锂离子电池 燃料电池 电容器 电阻器 继电器 接触器 熔断器 插头插座 灯具 发光二极管 集成电路
    印制电路板 半导体器件 连接器 传感器 显示屏 打印机 服务器 存储系统 操作系统 数据库 云计算 大数据 区块链
    人工智能 物联网 工业互联网 信息安全 密码模块 电子签名 身份认证 移动通信基站 卫星导航 雷达 无线电
    广播电视 有线电视 视频监控 智能家居 地理信息 遥感影像 测绘成果 地籍 气象观测 地震监测 海洋调查 水文测验
    水质 环境空气 土壤 固体废物 危险废物 噪声 振动 电磁辐射 放射性废物 污水处理 污泥 生活垃圾 大气污染物
    挥发性有机物 饮用水 食品添加剂 婴幼儿配方食品 乳粉 酸奶 酱油 食醋 味精 白酒 葡萄酒 啤酒 茶叶 咖啡 蜂蜜
    食用植物油 花生 大豆 小麦 稻谷 玉米 高粱 马铃薯 甘薯 棉花 甘蔗 甜菜 苹果 柑橘 葡萄 香蕉 荔枝 猕猴桃 辣椒
    番茄 黄瓜 白菜 香菇 木耳 人参 枸杞 当归 黄芪 甘草 猪肉 牛肉 羊肉 鸡肉 鸭蛋 水产品 对虾 河蟹 海参 鲍鱼
    罗非鱼 草鱼 饲料 兽药 农药 化肥 尿素 磷酸二铵 复合肥料 种子 苗木 园林绿化 森林资源 木材 竹材 胶合板
    纤维板 刨花板 家具 地板 纸张 纸浆 瓦楞纸箱 印刷油墨 塑料薄膜 聚乙烯 聚丙烯 聚氯乙烯 聚氨酯泡沫 环氧树脂
    橡胶 轮胎 胶粘剂 涂料 染料 颜料 洗涤剂 化妆品 牙膏 香精 蜡烛 烟花爆竹 玩具 童车 自行车 摩托车 汽车
    电动汽车 充电桩 校车 挂车 拖拉机 联合收割机 插秧机 渔船 集装箱 船用柴油机 船舶管系 螺旋桨 救生艇 飞机
    直升机 无人机 航天器 火箭 卫星 纺织品 羊毛 蚕丝 亚麻 化学纤维 针织物 服装 鞋 皮革 毛皮 箱包 眼镜 首饰
    钟表 乐器 文具 石油 天然气 液化石油气 汽油 柴油 润滑油 润滑脂 沥青 煤炭 焦炭 甲醇 乙醇 苯 甲苯 硫酸 盐酸
    硝酸 烧碱 纯碱 液氯 液氨 过氧化氢 医用电气设备 心电图机 超声诊断设备 磁共振 乳腺摄影 牙科种植体
    骨接合植入物 人工关节 心脏起搏器 血管支架 人工晶状体 助听器 输液器 注射器 导尿管 手术衣 医用口罩 消毒剂
    灭菌包装 体外诊断试剂 血糖仪 呼吸机 麻醉机 血液透析 婴儿保温箱 轮椅 假肢 病床 疫苗 血液制品 中药饮片
    实验动物 公共场所 学校卫生 职业病 托幼机构 物业服务 旅游景区 酒店 餐饮 家政 快递 物流 仓储 冷链 会展
    金融 保险 征信 电子商务 政务服务 社区 档案 博物馆 文物 殡葬 监狱 警用装备 枪支 道路交通信号 交通标志
    标线 护栏 伸缩缝 支座 土工合成材料 排水板
""")
_BEFORE = _words("""
    城镇 农村 民用 工业 公共 既有 新建 高层 大型 小型 中型 大跨度 装配式 海上 高原 寒区 山区 沙漠 湿地 地下
    水下 室内 室外 车载 船用 航空 军用 家用 商用 医用 矿用 农用 林用 食品用 电力用 铁路用 公路用 核级 高温
    低温 高压 低压 超高压 特高压 直流 交流 便携式 固定式 移动式 立式 卧式 单级 多级 智能 数字 模拟 光学 电子
    机械 液压 气动 绿色 节能 再生 改性 复合 增强 纳米 生物 进口 出口
""")
_BETWEEN = _words("""
    工程 系统 设备 装置 产品 材料 构件 部件 管理 信息 安全 质量 节能 环境 施工 安装 运行 维护 检修 检测 试验
    评价 设计 勘察 监测 验收 包装 运输 贮存 标志 分类 术语 命名 接口 数据 通信 控制 保护 防护 应急 消防 卫生
    能耗 能效 可靠性 耐久性 抗震 防火 防腐 防爆 减振
""")
_ENDINGS = _words("""
    技术规范 设计规范 施工规范 验收规范 施工及验收规范 施工质量验收规范 技术规程 应用技术规程 检测技术规程
    设计标准 技术标准 评价标准 工程技术规范 通用规范 技术条件 通用技术条件 技术要求 通用要求 通用技术要求
    安全要求 安全技术要求 试验方法 检验方法 测试方法 检验规则 测定方法 分类与代码 术语 术语和定义 图形符号
    命名规则 系列型谱 型式与基本参数 尺寸和公差 基本参数 质量分级 管理规范 服务规范 操作规程 安全规程
    维护规程 检定规程 校准规范 检定装置 设计导则 应用导则 选用导则 运行导则 评价导则 技术导则 指南 实施指南
    使用指南 风险管理 能源消耗限额 能效限定值及能效等级 污染物排放标准 环境保护技术规范 卫生标准 卫生规范
    饲养管理规范 栽培技术规程 生产技术规程 收购规格 加工技术规程 等级规格 检疫规程 鉴定方法 抽样方法 数据元
    数据格式 接口规范 通信协议 编码规则 元数据 建设规范 验收规程 评定规范
""")
_PARTS = _words("""
    总则 通则 术语 分类 通用要求 基本要求 安全要求 技术要求 试验方法 检验规则 抽样 标志 包装 材料 尺寸 结构
    性能 接口 数据格式 信息模型 通信协议 物理层 数据链路层 管理 服务 测试 评价 验收 安装 运行 维护 设计 施工
    环境条件 电磁兼容 可靠性 软件 硬件 固定式 移动式 便携式
""")
_PROPERTIES = _words("""
    含水量 灰分 水分 挥发分 密度 粘度 硬度 拉伸强度 压缩强度 弯曲性能 冲击强度 断裂伸长率 撕裂强度 耐磨性
    耐热性 耐候性 阻燃性 透气性 吸水率 收缩率 色牢度 酸值 碘值 皂化值 闪点 凝点 蒸气压 热值 导热系数
    线膨胀系数 折射率 电阻率 介电常数 铅 镉 汞 砷 铬 铜 锌 铁 锰 镍 钴 钒 钼 铝 硅 磷 硫 氯 氟 氨氮 总氮
    总磷 甲醛 苯系物 多环芳烃 农药残留 兽药残留 黄曲霉毒素 菌落总数 大肠菌群 沙门氏菌 蛋白质 脂肪 粗纤维
""")
_METHODS = _words("""
    原子吸收分光光度 气相色谱 液相色谱 气相色谱质谱 离子色谱 电感耦合等离子体发射光谱 分光光度 滴定 重量
    电位 荧光 显微 筛分 燃烧 蒸馏 极谱
""")
_RARE = (
    "鲟鳜鳗鲤鲫鲈鲢鳙鳕鲑蚌蛏蛤蚶蟹蚝芍芎芩苓茯苡薏苋苜蓿芥荞荠莴莲菱菠萝菖蒲蓝莓蔗薯藕蘑菇榆槐杉柏桦"
    "椴楠栎榕桉桐梓樟柚枣柿梅杏李桃梨樱棕榈椰榛胺脂酯醚醛酮酚烯炔烷苷肽酶酐脲肼腈胍嘧啶吡唑噻呋喃萘蒽"
    "菲茚吲哚喹啉吖嗪咔铌钽锆铪铼铱钯铂铑钌锇镓铟铊锗锑铋碲硒钪钇镧铈镨钐铕钆铽镝钬铒铥镱镥毡毯缎绸绉"
    "绫罗绢纱绒呢哔叽绳缆绦砚玺琴瑟笙箫笛鼓锣钹窑瓷釉陶甑釜甗鼎簋觚爵盉锉凿刨钻镗铰拉插珩研抛滚挤拔轧"
    "锻冲剪弯卷旋"
)
# Series, its attribute marks with their weights, and the digits of its numbers; the weight of the series.
_SERIES = (
    (30, "GB/T {number}", 5), (12, "GB {number}", 5), (5, "GB 5{number}", 4), (3, "GB/T 5{number}", 4),
    (4, "JGJ {number}", 3), (2, "JGJ/T {number}", 3), (2, "CJJ {number}", 3), (2, "CJ/T {number}", 3),
    (4, "YY/T {number}", 4), (2, "YY {number}", 4), (5, "HG/T {number}", 4), (6, "JB/T {number}", 5),
    (3, "SJ/T {number}", 5), (3, "NY/T {number}", 4), (3, "YD/T {number}", 4), (3, "DL/T {number}", 4),
    (2, "NB/T {number}", 5), (2, "SY/T {number}", 4), (2, "SH/T {number}", 4), (2, "YB/T {number}", 4),
    (2, "YS/T {number}", 4), (2, "JT/T {number}", 4), (1, "JTG/T {number}", 4), (2, "TB/T {number}", 4),
    (2, "CB/T {number}", 4), (2, "QC/T {number}", 4), (2, "HJ {number}", 4), (2, "SL {number}", 3),
    (2, "LY/T {number}", 4), (2, "SN/T {number}", 4), (2, "GA/T {number}", 4), (1, "JJG {number}", 4),
    (1, "JJF {number}", 4), (2, "MT/T {number}", 4), (1, "AQ {number}", 4), (1, "QB/T {number}", 4),
    (1, "FZ/T {number}", 5), (1, "CECS {number}", 3), (6, "DB{region}/T {number}", 4),
    (3, "T/CECS {number}", 5), (2, "T/CCIAT {number}", 4), (2, "T/CSEE {number}", 4), (1, "WS/T {number}", 3),
)  # fmt: skip
_STATUS = ("现行", "现行", "现行", "废止", "作废", "即将实施", "")


def synthetic(size: int, seed: int = 1) -> Library:
    """A library of `size` invented standards."""
    return Library(f"synthetic-{size}", tuple(records(size, seed)))


def records(size: int, seed: int = 1) -> Iterator[StandardRecord]:
    """`size` records without a repeated code."""
    rng = random.Random(seed)
    seen: set[str] = set()
    while len(seen) < size:
        for code, title in _family(rng):
            if code not in seen and len(seen) < size:
                seen.add(code)
                yield _record(rng, code, title)


def _record(rng: random.Random, code: str, title: str) -> StandardRecord:
    year = code[-4:]
    implement = f"{year}-{rng.randint(1, 12):02}-01" if rng.random() < 0.8 else ""
    relation = f"替代 {code[:-4]}{int(year) - rng.randint(5, 15)}" if rng.random() < 0.3 else ""
    return StandardRecord(code, code.replace(" ", ""), title, rng.choice(_STATUS), relation, implement)


def _family(rng: random.Random) -> Iterator[tuple[str, str]]:
    """One standard, or the parts of one, with earlier editions of some."""
    stem, year = _stem(rng), rng.randint(1985, 2025)
    name = _subject(rng)
    if rng.random() < 0.2:
        for part in range(1, rng.randint(3, 9)):
            title = f"{name} 第{part}部分：{_part(rng)}"
            yield from _editions(rng, f"{stem}.{part}", title, min(2025, year + rng.randint(0, 3)))
    elif rng.random() < 0.25:
        kind, prop, method = rng.choice(("", "化学分析方法")), rng.choice(_PROPERTIES), rng.choice(_METHODS)
        title = f"{name}{kind} {prop}的测定 {method}法"
        yield from _editions(rng, stem, title, year)
    else:
        yield from _editions(rng, stem, f"{name}{rng.choice(_ENDINGS)}", year)


def _editions(rng: random.Random, stem: str, title: str, year: int) -> Iterator[tuple[str, str]]:
    yield f"{stem}-{year}", title
    while rng.random() < 0.25 and year > 1990:
        year -= rng.randint(4, 14)
        if rng.random() < 0.2:
            title = title.replace("规范", "规程") if "规范" in title else f"{title}通则"
        yield f"{stem}-{year}", title


def _stem(rng: random.Random) -> str:
    [(_, form, digits)] = rng.choices(_SERIES, [weight for weight, _, _ in _SERIES])
    return form.format(number=rng.randint(1, 10**digits - 1), region=rng.choice(range(11, 66)))


def _subject(rng: random.Random) -> str:
    words = [rng.choice(_SUBJECTS)]
    if rng.random() < 0.6:
        words.insert(0, rng.choice(_BEFORE))
    if rng.random() < 0.1:
        words.insert(0, "".join(rng.choices(_RARE, k=rng.randint(1, 2))))
    if rng.random() < 0.3:
        words.append(f"{rng.choice(('用', '与', '及', '和', '的'))}{rng.choice(_SUBJECTS)}")
    if rng.random() < 0.6:
        words.append(rng.choice(_BETWEEN))
    return "".join(words)


def _part(rng: random.Random) -> str:
    return rng.choice(_PARTS) if rng.random() < 0.5 else f"{rng.choice(_SUBJECTS)}{rng.choice(_PARTS)}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Write a library of invented standards as CSV.")
    parser.add_argument("size", type=int)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in records(options.size, options.seed):
        writer.writerow([getattr(one, field) for field in StandardRecord.__slots__])


if __name__ == "__main__":
    main()
