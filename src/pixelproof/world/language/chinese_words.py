"""Chinese words for everything that instructions and questions may name; a test compares them with the categories."""

from __future__ import annotations

ZH_COLOURS = {
    "red": "红色", "orange": "橙色", "yellow": "黄色", "green": "绿色", "lime": "黄绿色", "teal": "蓝绿色",
    "cyan": "青色", "blue": "蓝色", "navy": "深蓝色", "purple": "紫色", "pink": "粉色", "brown": "棕色",
    "beige": "米色", "white": "白色", "grey": "灰色", "black": "黑色",
}  # fmt: skip
ZH_MATERIALS = {
    "plastic": "塑料", "rubber": "橡胶", "ceramic": "陶瓷", "metal": "金属", "wooden": "木制", "cardboard": "纸板",
    "fabric": "布艺", "leather": "皮质", "stone": "石制", "marble": "大理石", "striped": "条纹", "checked": "格纹",
    "dotted": "圆点", "glass": "玻璃",
}  # fmt: skip
ZH_SUPERLATIVES = {
    "leftmost": "最左边", "rightmost": "最右边", "nearest": "离观察者最近", "farthest": "离观察者最远",
    "largest": "最大", "smallest": "最小", "tallest": "最高", "shortest": "最矮",
    "highest": "位置最高", "lowest": "位置最低",
}  # fmt: skip
ZH_RELATIONS = {
    "left": "左边", "right": "右边", "front": "前面", "behind": "后面", "above": "上方", "below": "下方", "on": "上",
}  # fmt: skip
ZH_MORE = {
    "leftmost": "更靠左", "rightmost": "更靠右", "nearest": "离观察者更近", "farthest": "离观察者更远",
    "highest": "位置更高", "lowest": "位置更低", "tallest": "更高", "largest": "更大", "smallest": "更小",
}  # fmt: skip
ZH_MOST = {
    "leftmost": "最靠左", "rightmost": "最靠右", "nearest": "离观察者最近", "farthest": "离观察者最远",
    "highest": "位置最高", "lowest": "位置最低", "tallest": "最高", "largest": "最大", "smallest": "最小",
}  # fmt: skip
ZH_ANSWERS = {"yes": "是", "no": "否", "left": "左边", "right": "右边"}
ZH_NOUNS = {
    "object": "物体",
    # tableware and kitchen
    "mug": "马克杯", "bowl": "碗", "plate": "盘子", "bottle": "瓶子", "wine glass": "高脚杯", "jug": "水罐",
    "spoon": "勺子", "fork": "叉子", "salt shaker": "盐瓶", "jar": "罐子", "teapot": "茶壶", "kettle": "水壶",
    "frying pan": "平底锅", "cooking pot": "汤锅", "cutting board": "砧板", "tray": "托盘", "vase": "花瓶",
    # food
    "apple": "苹果", "orange": "橙子", "banana": "香蕉", "pear": "梨", "lemon": "柠檬", "carrot": "胡萝卜",
    "pumpkin": "南瓜", "tomato": "番茄", "aubergine": "茄子", "pineapple": "菠萝", "mushroom": "蘑菇",
    "watermelon slice": "西瓜片", "strawberry": "草莓",
    # paper
    "book": "书", "notebook": "笔记本", "cardboard box": "纸箱", "parcel": "包裹", "gift box": "礼盒",
    "envelope": "信封", "deck of cards": "扑克牌", "toilet roll": "卷纸", "milk carton": "牛奶盒", "paper bag": "纸袋",
    # furniture and surroundings
    "table": "桌子", "side table": "边几", "chair": "椅子", "stool": "凳子", "bench": "长凳", "sofa": "沙发",
    "armchair": "扶手椅", "bed": "床", "bookcase": "书柜", "cabinet": "柜子", "chest of drawers": "抽屉柜",
    "floor lamp": "落地灯", "floor": "地板", "wall": "墙", "skirting board": "踢脚线", "shelf unit": "置物架",
    "rug": "地毯", "window": "窗户", "door": "门",
    "refrigerator": "冰箱", "washing machine": "洗衣机", "kitchen counter": "厨房台面", "sink": "水槽",
    "cooker": "炉灶", "bathtub": "浴缸", "toilet": "马桶", "washbasin": "洗手盆", "toaster": "烤面包机",
    # more food
    "loaf of bread": "面包", "wedge of cheese": "奶酪块", "doughnut": "甜甜圈", "cake": "蛋糕", "cupcake": "纸杯蛋糕",
    "hamburger": "汉堡", "pizza slice": "披萨", "hot dog": "热狗", "egg cup": "蛋杯",
    # toys
    "rubber duck": "橡皮鸭", "teddy bear": "泰迪熊", "toy robot": "玩具机器人", "snowman": "雪人",
    "toy house": "玩具屋", "toy car": "玩具汽车", "toy train": "玩具火车", "toy boat": "玩具船",
    "toy plane": "玩具飞机", "toy rocket": "玩具火箭", "ball": "球", "toy block": "积木", "ring stacker": "套圈玩具",
    "die": "骰子", "toy brick": "拼插积木", "chess pawn": "国际象棋兵", "chess rook": "国际象棋车", "drum": "鼓",
    "bowling pin": "保龄球瓶", "xylophone": "木琴",
    # tools
    "hammer": "锤子", "screwdriver": "螺丝刀", "spanner": "扳手", "saw": "锯子", "pair of scissors": "剪刀",
    "paintbrush": "油漆刷", "bolt": "螺栓", "nut": "螺母", "torch": "手电筒", "bucket": "水桶", "step ladder": "人字梯",
    "traffic cone": "交通锥", "toolbox": "工具箱", "magnifying glass": "放大镜",
    # household
    "hat": "帽子", "boot": "靴子", "key": "钥匙", "dumbbell": "哑铃", "trophy": "奖杯", "padlock": "挂锁",
    "suitcase": "手提箱", "bell": "铃铛", "table lamp": "台灯", "desk lamp": "阅读灯", "alarm clock": "闹钟",
    "telephone": "电话", "photo camera": "照相机", "laptop": "笔记本电脑", "television": "电视机", "candle": "蜡烛",
    "potted plant": "盆栽", "cactus": "仙人掌", "basket": "篮子", "pillow": "枕头", "picture frame": "相框",
    "hourglass": "沙漏", "watering can": "洒水壶",
    "towel": "毛巾", "soap dispenser": "皂液器",
    # signs
    "letter block": "字母积木", "letter tile": "字母牌", "name plate": "名牌", "number plate": "车牌",
    "stop sign": "停车标志", "speed limit sign": "限速标志", "warning sign": "警告标志", "signpost": "路牌",
    "calendar": "日历", "menu board": "菜单板",
}  # fmt: skip

ZH_WAYS_OF_MOVES = {
    "left": "向左",
    "right": "向右",
    "closer": "朝观察者方向",
    "away": "朝远离观察者的方向",
    "up": "向上",
    "down": "向下",
    "forward": "向前",
    "back": "向后",
}
"""Direction of a move → Chinese words."""
