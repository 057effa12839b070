/** The gateway's sentences in Chinese, by their English texts; `{0}` is the first value. Parts of sentences have entries of their own. */
export const refusals: Readonly<Record<string, string>> = {
  // Nodes
  node: '节点',
  group: '组',
  tag: '点位',
  template: '模板',
  plugin: '插件',
  'The name of a {0} has at most {1} bytes in UTF-8, and "{2}…" has {3}.':
    '{0}的名称最多 {1} 字节（UTF-8），“{2}…”有 {3} 字节。',
  'A node needs a name: its name in the request is empty.': '节点需要名称：请求中的名称为空。',
  'There is no node "{0}".': '没有节点“{0}”。',
  'There is a node "{0}" already.': '已有节点“{0}”。',
  'There is an app "{0}" already.': '已有应用“{0}”。',
  'The node "{0}" was deleted meanwhile.': '节点“{0}”期间已被删除。',
  'The node "{0}" has no settings yet.': '节点“{0}”还没有设置。',
  'The node "{0}" is not running.': '节点“{0}”未运行。',
  'The node "{0}" is not running, and only a running node can be asked. Start it first.':
    '节点“{0}”未运行，只能询问运行中的节点。请先启动它。',
  'The plugin "{0}" of the node "{1}" {2}.': '节点“{1}”的插件“{0}”{2}。',
  'serves no clients that it could list': '没有可列出的客户端',
  'keeps no certificates': '不保存证书',
  'The node "{0}" is an app and has no groups.': '节点“{0}”是应用，没有组。',
  'The node "{0}" is a driver and cannot subscribe.': '节点“{0}”是驱动，不能订阅。',
  'The node "{0}" is not started: the gateway runs no node, because it was started with --safe. Start the gateway without it.':
    '节点“{0}”没有启动：网关以 --safe 启动，不运行任何节点。请不带该选项启动网关。',
  'A node is renamed: the member new_name is missing.': '重命名节点时缺少 new_name。',
  '{0}{1}': '{0}{1}',
  '{0} Node: "{1}". {2}': '{0}节点：“{1}”。{2}',
  '{0} Node: "{1}".': '{0}节点：“{1}”。',
  'The node is running.': '节点正在运行。',
  'The node is not running.': '节点未运行。',
  'The node is stopped.': '节点已停止。',
  'The node is not ready: it has no settings yet.': '节点未就绪：还没有设置。',
  'No node "{0}" was deleted lately: the last {1} are kept until the gateway ends. Look into the snapshots of the configuration.':
    '最近没有删除节点“{0}”：网关结束前只保留最后 {1} 个。请查看配置的快照。',
  'The setting "{0}" of the node "{1}" is {2}, which is shown instead of a secret and keeps the one that is stored, and here none is. Send the secret itself, or leave the setting out.':
    '节点“{1}”的设置“{0}”为 {2}。这是代替密文显示的字样，表示保留已存的密文，而这里没有已存的密文。请填写密文本身，或不填此项。',
  'Settings of the node "{0}": ': '节点“{0}”的设置：',
  'The settings of the node "{0}" are there twice.': '节点“{0}”的设置重复出现。',
  'The settings of the node "{0}" were changed at this moment. Try again.':
    '节点“{0}”的设置刚刚被修改。请重试。',

  // Connection tests
  'The plugin "{0}" tries no connections before its settings are saved. Save them, and the state of the node says how far it comes.':
    '插件“{0}”在保存设置之前不测试连接。请保存设置，节点的状态会显示连接进展。',
  'No connection is tried, because the gateway was started with --safe. Start it without that.':
    '网关以 --safe 启动，因此不测试连接。请不带该选项启动。',
  'With these settings the gateway waits for the device to connect, which cannot be tried. Save them, and look at the state of the node.':
    '按这些设置，网关等待设备来连接，无法测试。请保存设置，然后查看节点状态。',
  'The node "{0}" of the plugin "{1}" holds the line {2}. Stop that node for as long as this is tried.':
    '插件“{1}”的节点“{0}”正占用线路 {2}。测试期间请停止该节点。',
  '{0} The node "{1}" runs: if the device takes one connection only, stop the node and try again.':
    '{0} 节点“{1}”正在运行：如果设备只接受一个连接，请停止该节点后重试。',
  '{0} connection tests are under way. Try again when one of them has ended.':
    '正在进行 {0} 个连接测试。请在其中一个结束后重试。',
  'The plugin "{0}" cannot be asked right now, because its runner is not up. Try again in a moment.':
    '插件“{0}”的进程未就绪，暂时无法询问。请稍后重试。',
  'The plugin "{0}" cannot be asked right now, because {1}. Try again in a moment.':
    '暂时无法询问插件“{0}”：{1}。请稍后重试。',
  'The way to the device is open. Whether the device answers shows when something is read: name a tag to read.':
    '通往设备的路径畅通。读取一个点位才能知道设备是否应答：请指定要读取的点位。',

  'The node "{0}" is not running. Start it first; to see its first frames, start it anew while it is traced.':
    '节点“{0}”未运行。请先启动；要看到最初的报文，请在跟踪时重新启动它。',
  'The node "{0}" is traced already, by another viewer.': '另一个用户正在跟踪节点“{0}”。',
  'The node "{0}" is a driver: its frames are of a unit, or about a tag of a group.':
    '节点“{0}”是驱动：其报文可按站号或某组的点位筛选。',
  'The messages of an app are those of a group, named with its driver, or of all groups.':
    '应用的消息可以是某个组的（同时指定驱动和组），或全部组的。',
  'The messages of an app are no frames that Wireshark reads: save them as text.':
    '应用的消息不是 Wireshark 可读取的报文：请保存为文本。',
  'A tag is named together with its group.': '指定点位时要同时指定其组。',
  'There is no trace of the node "{0}": begin one first.': '没有节点“{0}”的跟踪：请先开始。',
  '{0} nodes are traced already. Wait until a trace has ended.':
    '已有 {0} 个节点在被跟踪。请等待其中一个结束。',

  // Groups
  'The field name is missing.': '缺少字段 name。',
  'A group update needs a new name, an interval, a history or how it reports.':
    '修改组需要新名称、采集间隔、历史或上报方式。',
  'The history of a group is from 1 to {0} megabytes, or 0 for none.':
    '组的历史为 1 至 {0} MB，0 表示不保留。',
  'The group "{0}" of "{1}" has no tag "{2}".': '“{1}”的组“{0}”没有点位“{2}”。',
  'The group "{0}" of "{1}" keeps no history: give it some megabytes for one.':
    '“{1}”的组“{0}”不保留历史：请为其设置若干 MB。',
  'The tag "{0}" has no history: it is kept of numbers, and not of texts or bytes.':
    '点位“{0}”没有历史：只保留数值的历史，不保留文本和字节。',
  'A range of a history is from one time to another, in milliseconds since the epoch.':
    '历史的范围为起始时间至结束时间，以 1970 年起的毫秒数表示。',
  'A history is read in {0} buckets at most, of one millisecond at least.':
    '历史最多分为 {0} 段读取，每段至少一毫秒。',
  'A history is read by 1 to {0} values at a time.': '历史每次可读取 1 至 {0} 个值。',
  'The name of a group may not be empty.': '组的名称不能为空。',
  'The group "{0}" has a {1} of {2}; it is from 0, which is none, to {3} milliseconds.':
    '组“{0}”的 {1} 为 {2}；应为 0（表示没有）至 {3} 毫秒。',
  'The group "{0}" has a min_interval of {1}, which is more than its max_interval of {2}; make it less.':
    '组“{0}”的 min_interval 为 {1}，大于其 max_interval {2}；请改小。',
  'The interval of a group is from {0} to {1} milliseconds.': '组的采集间隔为 {0} 至 {1} 毫秒。',
  '"{0}" has a group "{1}" already.': '“{0}”中已有组“{1}”。',
  'The node "{0}" has no group "{1}".': '节点“{0}”没有组“{1}”。',
  'The node "{0}" has the group "{1}" twice.': '节点“{0}”中的组“{1}”重复出现。',
  'The group "{0}" is named twice.': '组“{0}”被指定了两次。',
  'The driver "{0}" has more than {1} groups.': '驱动“{0}”的组超过 {1} 个。',
  'The group "{0}" of "{1}" is subscribed by {2}; unsubscribe it first.':
    '“{1}”的组“{0}”已被 {2} 订阅；请先取消订阅。',
  '{0} of "{1}" is read by the tag "{2}" of {3}; change that first.':
    '“{1}”的{0}被{3}的点位“{2}”读取；请先修改该点位。',
  '{0} of "{1}" is read by the tag "{2}" of {3}, and by {4} more; change that first.':
    '“{1}”的{0}被{3}的点位“{2}”以及另外 {4} 个点位读取；请先修改它们。',
  'The group "{0}"': '组“{0}”',
  'The tag "{0}" of the group "{1}"': '组“{1}”的点位“{0}”',
  '"{0}" (group "{1}")': '“{0}”（组“{1}”）',
  'the template "{0}" (group "{1}")': '模板“{0}”（组“{1}”）',
  'The node "{0}" would read itself: {1}. A node may not, neither directly nor over other nodes.':
    '节点“{0}”会读取自身：{1}。无论直接还是经过其他节点，都不允许。',
  'With the name "{0}" the node "{1}" would read itself: {2}. Other tags refer to that name already.':
    '使用名称“{0}”后，节点“{1}”会读取自身：{2}。已有其他点位引用该名称。',
  'The tag "{0}" of the group "{1}" refers to it, and would have an address of {2} bytes of UTF-8; {3} are allowed.':
    '组“{1}”的点位“{0}”引用了它，其地址将有 {2} 字节（UTF-8），最多允许 {3} 字节。',
  'there is no node "{0}"': '没有节点“{0}”',
  'the node "{0}" is an app and has no tags': '节点“{0}”是应用，没有点位',
  'the node "{0}" has no group "{1}"': '节点“{0}”没有组“{1}”',
  'the group "{0}" of "{1}" has no tag "{2}"': '“{1}”的组“{0}”没有点位“{2}”',
  'the tag "{0}" of "{1}" cannot be read': '“{1}”的点位“{0}”不可读取',
  'the tag "{0}" of "{1}" cannot be written': '“{1}”的点位“{0}”不可写入',
  'The setting "{0}" refers to "{1}", which names no tag: a reference is node/group/tag, with %2F for a slash and %25 for a percent sign in a name.':
    '设置“{0}”引用了“{1}”，但它不指向任何点位：引用的格式为 node/group/tag，名称中的斜杠写作 %2F，百分号写作 %25。',
  '"{0}" names no tag: a reference is node/group/tag, with %2F for a slash and %25 for a percent sign in a name':
    '“{0}”不指向任何点位：引用的格式为 node/group/tag，名称中的斜杠写作 %2F，百分号写作 %25',
  'The setting "{0}" refers to "{1}", but {2}.': '设置“{0}”引用了“{1}”，但{2}。',
  'The tag "{0}" would be written from itself: {1}.': '点位“{0}”会由自身写入：{1}。',
  'The tag "{0}" would be written by two rows: a tag has one row that writes it, in all apps together.':
    '点位“{0}”会被两行写入：在所有应用中，一个点位只能由一行写入。',
  'the app "{0}" (setting "{1}")': '应用“{0}”（设置“{1}”）',
  '{0} of "{1}" is used by {2}; change that first.': '“{1}”的{0}被{2}使用；请先修改该设置。',
  '{0} of "{1}" is used by {2}, and by {3} more; change that first.':
    '“{1}”的{0}被{2}以及另外 {3} 处使用；请先修改它们。',
  'The tag "{0}" refers to "{1}", but {2}.': '点位“{0}”引用了“{1}”，但{2}。',
  'The tag "{0}" refers to "{1}", and so its node would read itself: {2}. A node may not, neither directly nor over other nodes.':
    '点位“{0}”引用了“{1}”，其节点会因此读取自身：{2}。无论直接还是经过其他节点，都不允许。',

  // Tags
  'The name of a tag may not be empty.': '点位的名称不能为空。',
  'The new name of a tag may not be empty.': '点位的新名称不能为空。',
  'The group has a tag "{0}" already.': '组中已有点位“{0}”。',
  'The group has no tag "{0}".': '组中没有点位“{0}”。',
  'The group "{0}" has a tag "{1}" already.': '组“{0}”中已有点位“{1}”。',
  'The group "{0}" has no tag "{1}".': '组“{0}”中没有点位“{1}”。',
  'The group "{0}" has no tag "{1}" to remove (remove[{2}]).':
    '组“{0}”中没有要删除的点位“{1}”（remove[{2}]）。',
  'The tag "{0}" is to be removed (remove[{1}]) and is among the rows, too.':
    '点位“{0}”要被删除（remove[{1}]），却又出现在各行中。',
  'The tag "{0}" (tags[{1}]) is there twice: tags[{2}] has the same name.':
    '点位“{0}”（tags[{1}]）重复：tags[{2}] 的名称相同。',
  'The name "{0}" (tags[{1}]) is there twice: tags[{2}] gets it, too.':
    '名称“{0}”（tags[{1}]）重复：tags[{2}] 也要使用它。',
  'The tag "{0}" cannot be called "{1}": the group "{2}" has such a tag already.':
    '点位“{0}”不能改名为“{1}”：组“{2}”中已有该点位。',
  'The license leaves no room for this tag (tags[{0}]) in the node.':
    '许可证不允许该节点再有此点位（tags[{0}]）。',
  '{0} (tags[{1}])': '{0}（tags[{1}]）',
  'The tag "{0}" (tags[{1}]): {2}': '点位“{0}”（tags[{1}]）：{2}',
  '{0} of {1} rows are refused, so nothing was changed. {2}':
    '{1} 行中有 {0} 行被拒绝，因此没有任何改动。{2}',
  'The {0}{1} (tags[{2}]) {3}. It must be {4}.': '{1}{0}（tags[{2}]）{3}，应为{4}。',
  ' of the tag "{0}"': '点位“{0}”的 ',
  'is missing': '缺失',
  'is {0}': '为 {0}',
  'a list': '列表',
  'an object': '对象',
  'a text': '文本',
  'a text that is not empty': '非空文本',
  'an integer of 0 to 17': '0 至 17 的整数',
  'default, change or always': 'default、change 或 always',
  'a number of milliseconds': '毫秒数',
  'a sum of 1 (read), 2 (write), 4 (subscribe) and 8 (static)': '1（读）、2（写）、4（订阅）、8（静态）之和',
  'the number of a data type': '数据类型的编号',
  'a number': '数字',
  'a number, or a percentage of the span such as "2%"': '数字，或量程的百分比，如“2%”',
  'a number, a text, true, false or a list of bytes': '数字、文本、true、false 或字节列表',
  'The tag "{0}" {1}': '点位“{0}”{1}',
  'has a name of {0} bytes of UTF-8; {1} are allowed.': '的名称有 {0} 字节（UTF-8），最多 {1} 字节。',
  'has an address of {0} bytes of UTF-8; {1} are allowed.': '的地址有 {0} 字节（UTF-8），最多 {1} 字节。',
  'has a description of {0} bytes of UTF-8; {1} are allowed.': '的描述有 {0} 字节（UTF-8），最多 {1} 字节。',
  'has a precision of {0}; it is an integer of 0 to {1}.': '的精度为 {0}，应为 0 至 {1} 的整数。',
  'has a decimal of {0}; it must be a finite number.': '的倍率为 {0}，应为有限的数。',
  'has a decimal of {0} and is a STRING, which has none; leave it out.':
    '的倍率为 {0}，但 STRING 没有倍率；请不要填写。',
  'has a unit of {0} bytes of UTF-8; {1} are allowed.': '的单位有 {0} 字节（UTF-8），最多 {1} 字节。',
  'has {0} alone; a span has low and high.': '只有 {0}；量程要同时有 low 和 high。',
  'has a low of {0} and a high of {1}; both are finite, and low is less than high.':
    '的 low 为 {0}、high 为 {1}；两者应为有限的数，且 low 小于 high。',
  'has low and high, which only tags of a numeric type have; leave them out.':
    '带有 low 和 high，而只有数值类型的点位才有；请不要填写。',
  'has a deadband, which only tags of a numeric type have; leave it out.':
    '带有死区，而只有数值类型的点位才有；请不要填写。',
  'has a deadband and is static, so that its value does not move; leave it out.':
    '带有死区，但它是静态点位，其值不会变动；请不要填写。',
  'has a deadband of {0}; it is a finite number of at least 0, or a percentage such as "2%".':
    '的死区为 {0}，应为不小于 0 的有限数，或如“2%”的百分比。',
  'has a deadband of {0}; it is a number, or a percentage of "0%" to "100%" such as "2%".':
    '的死区为 {0}，应为数字，或“0%”至“100%”的百分比，如“2%”。',
  'has a deadband of {0} and no span that it is a part of; give it low and high.':
    '的死区为 {0}，却没有作为基准的量程；请填写 low 和 high。',
  'has a bias of {0}; it must be a finite number, and 0 unless the type is numeric.':
    '的偏移为 {0}，应为有限的数；非数值类型必须为 0。',
  'has the attribute {0}; it is a sum of 1 (read), 2 (write), 4 (subscribe) and 8 (static), and static tags cannot be subscribed to.':
    '的属性为 {0}，应为 1（读）、2（写）、4（订阅）、8（静态）之和，且静态点位不能订阅。',
  'is static and needs a value.': '是静态点位，需要一个值。',
  'is not static and may not have a value.': '不是静态点位，不能带有值。',
  'The value of the static tag "{0}" is wrong: {1}': '静态点位“{0}”的值不正确：{1}',
  'The license leaves room for {0} of these tags in the node.': '许可证只允许该节点再增加其中 {0} 个点位。',

  // Values
  'A write names at least one tag.': '写入时至少要指定一个点位。',
  'The plugin "{0}" of the node "{1}" writes one tag at a time.': '节点“{1}”的插件“{0}”每次只能写一个点位。',
  'A static tag has nothing to read from a device.': '静态点位不从设备读取。',
  'The device answered with {0}, which is no number.': '设备应答为 {0}，不是数值。',
  'The plugin "{0}" of the node "{1}" cannot list what a device has.':
    '节点“{1}”的插件“{0}”不能列出设备的内容。',
  'The tag "{0}" is not static any more.': '点位“{0}”已不是静态点位。',
  'The tag "{0}" may not be written.': '点位“{0}”不允许写入。',
  'The group "{0}" has no tag "{1}" on a device that may be written.': '组“{0}”中没有可写入设备的点位“{1}”。',
  'The tag "{0}" of type {1}: {2}': '类型为 {1} 的点位“{0}”：{2}',
  'The tag "{0}" ({1}) of type {2}: {3}': '类型为 {2} 的点位“{0}”（{1}）：{3}',
  'The tag "{0}": {1}': '点位“{0}”：{1}',
  'A text written here has at most {0} bytes of UTF-8, and this one {1}.':
    '此处写入的文本最多 {0} 字节（UTF-8），这段有 {1} 字节。',
  '{0} is not a value for a tag of type {1}.': '{0} 不是类型为 {1} 的点位的值。',
  '{0} is out of the range of type {1}.': '{0} 超出类型 {1} 的范围。',
  'The node "{0}" writes only what its own tags refer to, and not "{1}".':
    '节点“{0}”只写入其点位所引用的内容，不写入“{1}”。',

  // Subscriptions
  '"{0}" subscribes to the group "{1}" of "{2}" already.': '“{0}”已订阅“{2}”的组“{1}”。',
  '"{0}" does not subscribe to the group "{1}" of "{2}".': '“{0}”没有订阅“{2}”的组“{1}”。',
  '"{0}" has no settings yet, so what it sends is not known.': '“{0}”还没有设置，因此不知道它会发送什么。',
  'The subscription {0} is there twice.': '订阅 {0} 重复出现。',
  'A subscription names an app or a group that is not there.': '某个订阅所指的应用或组不存在。',
  'Nothing has been read of the group "{0}" of "{1}" yet. Start that driver, and look again.':
    '“{1}”的组“{0}”还没有读取任何内容。请启动该驱动后再看。',
  'The plugin "{0}" shows no preview of what it sends.': '插件“{0}”不提供所发送内容的预览。',

  // Templates
  'There is no template "{0}".': '没有模板“{0}”。',
  'There is a template "{0}" already.': '已有模板“{0}”。',
  'The template "{0}" has no group "{1}".': '模板“{0}”没有组“{1}”。',
  'The template "{0}" is there twice.': '模板“{0}”重复出现。',
  'The template has the group "{0}" twice.': '模板中的组“{0}”重复出现。',
  'The plugin "{0}" of the template "{1}" is not installed.': '模板“{1}”的插件“{0}”没有安装。',
  'The plugin "{0}" is an app\'s; templates are for drivers.': '插件“{0}”属于应用；模板只用于驱动。',
  'A node that is to be made of a template has an empty name.': '要由模板创建的节点名称为空。',
  'The name of the new node is too long.': '新节点的名称过长。',
  'The nodes of one call may have {0} tags together. Make them in several calls.':
    '一次创建的节点总共最多 {0} 个点位。请分几次创建。',
  'The template "{0}" has more tags than the license allows for each node, {1}.':
    '模板“{0}”的点位多于许可证允许每个节点的数量 {1}。',
  'A name in the query is too long.': '查询中的名称过长。',

  // Import, snapshots
  'The node "{0}" is there twice.': '节点“{0}”重复出现。',
  'The name of the node at index {0} is empty.': '第 {0} 个节点（从 0 开始）的名称为空。',
  'The plugin "{0}" is not of drivers.': '插件“{0}”不是驱动插件。',
  'A tag {0} is refused. {1}': '{0}的一个点位被拒绝。{1}',
  'A tag {0} is refused (tags[{1}]). {2}': '{0}的一个点位（tags[{1}]）被拒绝。{2}',
  'of the group "{0}" of "{1}"': '“{1}”的组“{0}”',
  'The tag "{0}" {1} is there twice.': '{1}的点位“{0}”重复出现。',
  'Somebody else has changed the configuration at this moment, so nothing was changed. Try again.':
    '此时有他人更改了配置，因此未作任何更改。请重试。',
  'There is no snapshot "{0}"; GET /api/v2/snapshots lists those that there are.':
    '没有快照“{0}”；GET /api/v2/snapshots 列出现有的快照。',
  'No snapshot of the configuration could be made, so nothing was changed: {0}.':
    '无法生成配置的快照，因此没有任何改动：{0}。',

  // Plugins
  'There is no plugin "{0}".': '没有插件“{0}”。',
  'There is no plugin "{0}" that could be replaced.': '没有可替换的插件“{0}”。',
  'There is no schema "{0}".': '没有模式“{0}”。',
  'The plugin "{0}" comes with the gateway.': '插件“{0}”随网关提供。',
  'The plugin "{0}" comes with the gateway and cannot be removed.': '插件“{0}”随网关提供，不能移除。',
  'The node "{0}" uses the plugin "{1}". Delete the plugin\'s nodes first.':
    '节点“{0}”正在使用插件“{1}”。请先删除该插件的节点。',
  'The plugin "{0}" was upgraded or removed at this moment. Try again.':
    '插件“{0}”刚刚被升级或移除。请重试。',
  'The library could not be put in its place: {0}.': '无法放置该插件库：{0}。',
  'The library could not be written: {0}.': '无法写入该插件库：{0}。',
  'The library is not valid: {0}.': '该插件库无效：{0}。',
  'The library {0}.': '该插件库有问题：{0}。',
  'The library of the plugin "{0}" is missing or does not load; see the log of the gateway\'s start.':
    '插件“{0}”的库缺失或无法加载；请查看网关启动时的日志。',
  'The library folder "{0}" is taken by the plugin "{1}".': '库文件夹“{0}”已被插件“{1}”占用。',
  'The library goes into the folder {0}, and there is a file of this name. Give the file another name.':
    '该插件库要放入文件夹 {0}，但已有同名文件。请给该文件改名。',
  'The archive {0}.': '该归档有问题：{0}。',
  'The member "file" of the body is not in base64.': '请求体中的 file 不是 base64。',
  '"{0}" is not the bare name of a file in the library folder.': '“{0}”不是库文件夹中文件的单纯名称。',
  'There is no file {0}.': '没有文件 {0}。',
  '{0} is not a file.': '{0} 不是文件。',
  '{0} has more than {1} MB.': '{0} 超过 {1} MB。',
  '{0} Version {1} is in its place again.': '{0} 已恢复版本 {1}。',
  'Version {0} of the plugin "{1}" is installed already. Give a changed library another version.':
    '插件“{1}”的版本 {0} 已安装。修改过的库请使用另一个版本号。',
  'Version {0} of the plugin "{1}" cannot take the place of the one before: {2}.':
    '插件“{1}”的版本 {0} 不能取代之前的版本：{2}。',
  'Version {0} of the plugin "{1}" did not come up: {2}': '插件“{1}”的版本 {0} 未能启动：{2}',
  'the node "{0}" is of the other type': '节点“{0}”属于另一种类型',
  'it refuses the settings of the node "{0}". {1} Set them so that both versions take them':
    '它拒绝节点“{0}”的设置。{1} 请改为两个版本都接受的设置',
  'The name "{0}" is taken by the plugin "{1}"; this one is "{2}".':
    '名称“{0}”已被插件“{1}”占用；这个插件是“{2}”。',
  'The name "{0}" is taken by the plugin "{1}"; this one is "{2}". Names that differ by letters of another script, by capital letters, by the width of letters or by spaces alone, as from "{3}", look the same to people.':
    '名称“{0}”已被插件“{1}”占用；这个插件是“{2}”。它与“{3}”只在字形相似的字母、大小写、全角半角或空格上有差别，看起来相同。',
  'it was built for version {0} of the SDK and this gateway has {1}; it needs a new release, because plugins for {2} to {3} run here':
    '它针对 SDK 版本 {0} 构建，而本网关为 {1}；此处可运行针对 {2} 至 {3} 的插件，请使用新的发行版',
  'The plugin "{0}" does not say in its manifest that it has logins checked.':
    '插件“{0}”的清单中没有声明要校验登录。',
  'The plugin "{0}" may not have logins checked. An admin can allow it with PUT /api/v2/plugin/permission.':
    '不允许插件“{0}”校验登录。管理员可用 PUT /api/v2/plugin/permission 允许。',
  'The plugin "{0}" has no logins to check.': '插件“{0}”没有要校验的登录。',

  // Users, tokens, login
  'There is no user with this name and this password. Check both; capital letters count.':
    '没有使用此名称和密码的用户。请检查两者，区分大小写。',
  'There is no user "{0}".': '没有用户“{0}”。',
  'There is no user "{0}" any more.': '用户“{0}”已不存在。',
  'There is a user "{0}" already.': '已有用户“{0}”。',
  'The user "{0}" may not be deleted.': '用户“{0}”不能删除。',
  'The user "{0}" is the last admin and has to stay one. Make another user an admin first.':
    '用户“{0}”是最后一个管理员，必须保留。请先让另一个用户成为管理员。',
  'The user "{0}" is a {1} and may not write tags; an operator may.':
    '用户“{0}”的角色是 {1}，不能写点位；operator 可以。',
  'The name of a user has {0} to {1} bytes in UTF-8, and this one {2}.':
    '用户名为 {0} 至 {1} 字节（UTF-8），此名称有 {2} 字节。',
  'A password has {0} to {1} bytes in UTF-8, and this one {2}.':
    '密码为 {0} 至 {1} 字节（UTF-8），此密码有 {2} 字节。',
  'The new password of the user "{0}" is the one that is in force; choose another.':
    '用户“{0}”的新密码与现用密码相同，请另选一个。',
  'Only an admin may do this, and {0} asks for it.': '只有管理员可以这样做，而请求者是 {0}。',
  'a token without this right': '没有此权限的令牌',
  '{0} needs the role {1}; {2} is {3}.': '{0} 需要角色 {1}，而{2}的角色是 {3}。',
  'the user "{0}"': '用户“{0}”',
  'the token "{0}"': '令牌“{0}”',
  'the issuer "{0}"': '签发者“{0}”',
  '{0} of the issuer "{1}"': '签发者“{1}”的{0}',
  'There is a token "{0}" already. Delete it first, or choose another name.':
    '已有令牌“{0}”。请先删除它，或另选名称。',
  'There is no token "{0}".': '没有令牌“{0}”。',
  'There is no such token, or it was revoked.': '没有此令牌，或已被撤销。',
  'The token "{0}" expired on {1}; an admin can make another.':
    '令牌“{0}”已于 {1} 过期；管理员可以创建新的。',
  'The token does not say whose it is.': '令牌没有说明属于谁。',
  'The token does not say when it expires.': '令牌没有说明何时过期。',
  'The token is not valid yet; are the clocks right?': '令牌尚未生效；时钟是否正确？',
  'The token is not made out to "{0}".': '令牌不是签发给“{0}”的。',
  'The token of the header "Authorization" expired; POST /api/v2/login gives a new one.':
    '请求头 Authorization 中的令牌已过期；POST /api/v2/login 可获取新的。',
  'The token of the header "Authorization" expired on {0}; POST /api/v2/login gives a new one.':
    '请求头 Authorization 中的令牌已于 {0} 过期；POST /api/v2/login 可获取新的。',
  'The token is of before the user "{0}" got another password or was made anew; POST /api/v2/login gives a new one.':
    '令牌早于用户“{0}”更改密码或重新创建；POST /api/v2/login 可获取新的。',
  'The request has no header "Authorization: Bearer <token>"; POST /api/v2/login gives one.':
    '请求没有请求头 Authorization: Bearer <token>；POST /api/v2/login 可获取令牌。',
  'Too many logins from this address wait for their turn.': '来自此地址的登录过多，正在排队。',
  'Too many logins of this user wait for their turn.': '此用户的登录过多，正在排队。',
  'The client went away.': '客户端已离开。',
  'The user "{0}" still has the password that every new gateway has, which is good on the gateway\'s own machine only. Change it there, at its loopback address and not through a proxy, with POST /api/v2/password, or start the gateway with another one in the environment variable TAGWAY_ADMIN_PASSWORD.':
    '用户“{0}”仍使用每台新网关都有的密码，该密码只能在网关本机使用。请在本机通过回环地址（不经代理）用 POST /api/v2/password 修改，或用环境变量 TAGWAY_ADMIN_PASSWORD 指定另一个密码启动网关。',

  // License
  'The license expired on {0}.': '许可证已于 {0} 过期。',
  'The license is not valid before {0}. Is the clock of this machine right?':
    '许可证在 {0} 之前无效。本机的时钟是否正确？',
  'No license is installed; without one nothing is limited.': '没有安装许可证；没有许可证时不受任何限制。',
  'The license is not good: {0}': '许可证无效：{0}',
  'The license is for another machine: GET /api/v2/license shows the token of this one.':
    '许可证属于另一台机器：GET /api/v2/license 显示本机的标识。',
  'The license does not include the plugin "{0}".': '许可证不包含插件“{0}”。',
  'The license allows {0} nodes.': '许可证允许 {0} 个节点。',
  'The license allows {0} tags for each node.': '许可证允许每个节点 {0} 个点位。',

  // The gateway and its pair
  'This gateway is the standby of its pair: the active one reads and writes.': '本网关是备机：由主机读写。',
  'This gateway belongs to no pair: it was started without --pair.':
    '本网关不属于任何双机：启动时没有 --pair。',
  '{0} is for the active gateway of the pair. {1}': '{0} 应由双机中的主机处理。{1}',
  'A stream of live values': '实时值数据流',
  'This one, "{0}", hands over to the other at this moment. Ask again in a second.':
    '本机“{0}”正在移交给另一台。请稍后再试。',
  'This one, "{0}", is the standby, and none is active at this moment. Ask again in a few seconds.':
    '本机“{0}”是备机，目前没有主机。请几秒后再试。',
  'This one, "{0}", is the standby; "{1}" at {2} is active.': '本机“{0}”是备机；主机是 {2} 的“{1}”。',
  'The server is busy: {0} requests are waiting.': '服务器繁忙：有 {0} 个请求在等待。',
  'The gateway ends.': '网关正在结束。',
  'There is no such stream any more; open another one.': '该数据流已不存在，请重新打开。',
  'There are {0} streams of live values already; close a page that shows them, or ask with POST /api/v2/read.':
    '已有 {0} 个实时值数据流；请关闭一个显示它们的页面，或使用 POST /api/v2/read。',

  'Another caller needs a place among the {0} streams of live values, and you have {1}.':
    '另一个用户需要使用 {0} 个实时值数据流中的一个，而您占用了 {1} 个。',
  'The gateway failed in a way that it does not foresee; its log has more.':
    '网关发生意外故障；详情见其日志。',

  // Logs, audit, files
  'A page of the audit has 1 to {0} entries.': '审计每页 1 至 {0} 条。',
  'A page of alarms has 1 to {0} entries.': '报警每页 1 至 {0} 条。',
  'A page of the log has {0} to {1} lines.': '日志每页 {0} 至 {1} 行。',
  'The end of the time lies before its beginning.': '结束时间早于开始时间。',
  'The field level is missing.': '缺少字段 level。',
  'The level must be one of {0}.': '级别必须是 {0} 之一。',
  'Without a node, core cannot be false.': '没有指定节点时，core 不能为 false。',
  'There is no log folder {0}.': '没有日志文件夹 {0}。',
  'The log folder {0} cannot be read: {1}.': '无法读取日志文件夹 {0}：{1}。',
  'The log has no file "{0}". GET /api/v2/log/list names those that there are.':
    '日志中没有文件“{0}”。GET /api/v2/log/list 列出现有文件。',
  'The log file {0} cannot be opened.': '无法打开日志文件 {0}。',
  'The field dir_path must be an absolute path.': '字段 dir_path 必须是绝对路径。',
  'The folder {0} may not be listed: only the libraries of the data folder and what --file-roots names may be, and no keys.':
    '不允许列出文件夹 {0}：只能列出数据文件夹中的库以及 --file-roots 指定的内容，且不含密钥。',
  'The folder {0} cannot be listed.': '无法列出文件夹 {0}。',

  // Requests
  'The request body did not come in time.': '请求体没有按时到达。',
  'The request body is not UTF-8.': '请求体不是 UTF-8。',
  'The client went away before the request was complete.': '请求尚未完整，客户端已离开。',
  'A request body has at most {0} bytes.': '请求体最多 {0} 字节。',
  'The bodies of all requests under way take as much memory as they may; send this one again in a moment.':
    '正在处理的请求已占满允许的内存；请稍后重新发送。',
  'The field params is null. It must be an object.': '字段 params 为 null，应为对象。',
  'The field params nests deeper than {0} levels.': '字段 params 的嵌套超过 {0} 层。',

  // Other gateways of the fleet
  'The token of the gateway "{0}" is {1}, which is shown instead of a token and keeps the one that is stored for the same address, and here none is. Send the token itself.':
    '网关“{0}”的令牌是 {1}：它代替令牌显示，并保留同一地址已存储的令牌，但此处没有存储令牌。请发送令牌本身。',
  'The name "{0}" of a gateway begins or ends with a space, or has control characters.':
    '网关名称“{0}”以空格开头或结尾，或含有控制字符。',
  'There are two gateways of the name "{0}". Rename one of them.':
    '有两个名为“{0}”的网关。请重命名其中一个。',
  'There are two gateways with the address {0}. Remove one of them.':
    '有两个网关的地址是 {0}。请删除其中一个。',
  'The address of the gateway "{0}" has no user and no password: it gets the token of a machine.':
    '网关“{0}”的地址中不写用户和密码：使用机器令牌。',
  'The address of the gateway "{0}" ends with its path.': '网关“{0}”的地址到路径为止。',
  'The token of the gateway "{0}" has spaces or other characters that no token has.':
    '网关“{0}”的令牌含有空格或令牌不会有的其他字符。',
  'The gateway "{0}" has authorities that are no certificates in PEM.':
    '网关“{0}”的机构证书不是 PEM 格式的证书。',
  'The token of the gateway was stored with another key of secrets and cannot be opened. Set it anew.':
    '该网关的令牌是用另一个密钥存储的，无法打开。请重新设置。',
  'The gateway could not be asked, by an error of this one.': '由于本网关的错误，无法查询该网关。',
  'The gateway answers with something that is not the reply of a gateway. Is its address right?':
    '该网关的答复不是网关的答复。地址是否正确？',
  'has a certificate of an authority that is not known here; an admin can give that of the authority in the list of the fleet':
    '的证书由此处未知的机构签发；管理员可在网关群列表中填写机构证书',
  'The gateway sends more than {0} bytes, which is more than is taken.':
    '该网关发送超过 {0} 字节，超出上限。',
  'The gateway answers with something that is not JSON, perhaps a page for people. Is its address right?':
    '该网关的答复不是 JSON，可能是网页。地址是否正确？',
  'The gateway answers with something that is not HTTP. Is its address right?':
    '该网关的答复不是 HTTP。地址是否正确？',
  'The gateway does not take the token (status {0}). Make one with the role viewer there, and set it in the list of the fleet.':
    '该网关不接受令牌（状态 {0}）。请在该网关创建查看者角色的令牌，并填入网关群列表。',
  'The gateway leads to another address (status {0}), which is not followed. Set that address in the list of the fleet.':
    '该网关转到另一个地址（状态 {0}），不予跟随。请在网关群列表中填写那个地址。',
  'The gateway answers with status {0}. Is its address right?': '该网关答复状态 {0}。地址是否正确？',
  'The gateway does not answer within {0} seconds.': '该网关在 {0} 秒内没有答复。',
  'The gateway cannot be asked: it {0}.': '无法查询该网关：它{0}。',
  // Packages of registries
  'Version {0} of the package {1} {2}. It is not installed.': '软件包 {1} 的版本 {0}{2}。没有安装。',
  'has no attestation of its sources, and the registry {0} is set so that one is required':
    '没有来源证明，而软件源 {0} 已设为必须有来源证明',
  'has an attestation that is not good: {0}': '的来源证明无效：{0}',
  'has an attestation that is not good: its certificate names no repository, so that it says nothing of the sources':
    '的来源证明无效：其证书没有指明代码仓库，因此没有说明源代码',
  'has an attestation that is not good: it is for something else': '的来源证明无效：它属于别的内容',
  'has an attestation that is not good: it is for another archive': '的来源证明无效：它属于另一个归档',
  'it is by nobody whom an authority of the trust root has certified': '签名者没有得到信任根中任何机构的认证',
  'it is in no log of the trust root': '它不在信任根的任何日志中',
  'nothing proves when it was made': '没有任何内容证明其生成时间',
  'it was altered after it was signed': '它在签名后被更改',
  'it does not have the form of an attestation': '它不具有来源证明的格式',
  'The trust root of the registry is none: it is JSON as the file trusted_root.json of sigstore has it.':
    '软件源的信任根无效：它应是 sigstore 的 trusted_root.json 文件那样的 JSON。',
  '"{0}" is not the address of a repository of keys.': '“{0}”不是密钥库的地址。',
  'The root of the repository of keys is none: it is the text of a root.json of The Update Framework.':
    '密钥库的根无效：它应是 The Update Framework 的 root.json 的文本。',
  'The repository of keys {0} answers with status {1} for one of its files.':
    '密钥库 {0} 对其一个文件返回状态 {1}。',
  'The repository of keys {0} has files that have expired. Is the clock of this machine right? If it is, the repository is out of use, or something between sends its old files.':
    '密钥库 {0} 的文件已过期。本机的时钟是否正确？如果正确，则该密钥库已停用，或中间有设备发送其旧文件。',
  'The repository of keys {0} has files that are older than those that were there before, or that do not go together.':
    '密钥库 {0} 的文件比先前的更旧，或彼此不一致。',
  'The repository of keys {0} has files that are not signed by those whom its root names.':
    '密钥库 {0} 的文件没有由其根所指定者签名。',
  'The repository of keys {0} sends something that is no such repository, that is larger than is taken, or that was altered on the way.':
    '密钥库 {0} 发送的内容不是密钥库的内容、超过可接受的大小，或在途中被更改。',
  '{0} The package cannot take its place.': '{0} 此软件包不能取代它。',
  '{0} The package {1} would get its nodes, with their secrets. If it is to take its place, name both: the package, and the plugin {2} as what it replaces.':
    '{0} 软件包 {1} 会得到它的节点及其密文。如要取代它，请同时指明软件包和被取代的插件 {2}。',
  '{0} If that is as it should be, accept it: {1}.': '{0} 如果没有问题，请接受：{1}。',
  'There is no mirror at {0}: its folder has no {1}, which tagway plugin mirror writes.':
    '{0} 处没有镜像：其文件夹中没有 tagway plugin mirror 写入的 {1}。',
  'The mirror {0} {1}.': '镜像 {0}{1}。',
  'has an index that is none of the form "{0}"': '的索引不是“{0}”格式',
  'names an archive that is no file within its folder': '列出的归档不是其文件夹中的文件',
  'The mirror {0} names the version, and does not have its archive.': '镜像 {0} 列出该版本，但没有其归档。',
  'The mirror {0} has no package {1}. Names are asked of this mirror alone.':
    '镜像 {0} 没有软件包 {1}。名称只在此镜像中查询。',
  'The index of the mirror {0} was altered after it was signed. Nothing of it is used.':
    '镜像 {0} 的索引在签名后被更改。不使用其中任何内容。',
  'A file of the mirror {0} cannot be read ({1}). Is the disk in its place, and may the gateway read it?':
    '无法读取镜像 {0} 的文件（{1}）。磁盘是否已接好，网关是否有权读取？',
  'The mirror {0} leads to something that is no file within its folder. That is not read.':
    '镜像 {0} 指向其文件夹以外的内容或非文件。不读取。',
  'The mirror {0} has a file of more than {1} MB, which is more than is taken.':
    '镜像 {0} 有一个超过 {1} MB 的文件，超出上限。',
  'The registry {0} gives no SHA-512 of the archive. It is not fetched.':
    '软件源 {0} 没有给出归档的 SHA-512。没有下载。',
  'The archive that the registry {0} sends has another SHA-512 than it says: it was altered, or cut. It is not installed.':
    '软件源 {0} 发来的归档与其声明的 SHA-512 不符：被更改或被截断。没有安装。',
  'Version {0} of the package {1} is no plugin that a gateway installs: its registry does not say which plugin is in it, or gives no SHA-512.':
    '软件包 {1} 的版本 {0} 不是网关可安装的插件：软件源没有说明其中是哪个插件，或没有给出 SHA-512。',
  // Device profiles
  'Its picture {0} has more than {1} kB.': '其图片 {0} 超过 {1} kB。',
  'Its picture {0} is not a picture of the kind that its name says.': '其图片 {0} 不是文件名所示类型的图片。',
  'Its picture {0} has {1} × {2} pixels; {3} × {4} are allowed.':
    '其图片 {0} 为 {1} × {2} 像素，最多允许 {3} × {4}。',
  'It has no profile.json.': '其中没有 profile.json。',
  'Its picture {0} is missing.': '缺少其图片 {0}。',
  'It has a picture {0} that its profile.json does not name.': '其中的图片 {0} 未在 profile.json 中列出。',
  'Its package.json {0}': '其 package.json {0}',
  'is not JSON.': '不是 JSON。',
  'is not an object.': '不是对象。',
  'has a member "{0}", and a profile is data alone: it runs nothing and needs nothing.':
    '含有成员“{0}”，而设备档案只是数据：不运行任何程序，也不依赖任何包。',
  'has no name.': '没有名称。',
  'has another version than its profile.json, which has {0}.': '的版本与 profile.json 的版本 {0} 不同。',
  'does not have the keyword "{0}", by which profiles are found.': '没有关键字“{0}”，设备档案靠它被找到。',
  'Its {0} has more than {1} kB.': '其 {0} 超过 {1} kB。',
  'It has more than {0} MB.': '它超过 {0} MB。',
  'The device profile goes into the folder {0}, and there is a file of this name. Give the file another name.':
    '设备档案要放入文件夹 {0}，但已有同名文件。请重命名该文件。',
  'It is called "{0}", and its folder "{1}".': '它名为“{0}”，而其文件夹名为“{1}”。',
  'Its file {0} is too large.': '其文件 {0} 太大。',
  'Its archive {0}.': '其归档有问题：{0}。',
  'The model {0} at register {1} is not one that the profile knows; it is left out.':
    '寄存器 {1} 处的模型 {0} 不在设备档案中，已略过。',
  'It has more than {0} tags, which is more than a node of a profile may have.':
    '其点位超过 {0} 个，超出由档案创建的节点的上限。',
  'Its marker is at none of the registers {0}. Check the unit, and that the device has this interface and that it is switched on.':
    '在寄存器 {0} 处均未找到其标记。请检查站号，以及设备是否具有并启用了该接口。',
  'Its chain of models leads beyond the last register.': '其模型链超出了最后一个寄存器。',
  'The chain of models breaks off at register {0}, where it has neither a model nor its end: {1}':
    '模型链在寄存器 {0} 处中断，那里既没有模型也没有结束标记：{1}',
  'Its chain of models does not end within {0} models.': '其模型链在 {0} 个模型内没有结束。',
  'The device refuses to read {0} points of the model {1}, which are left out: {2}{3}.':
    '设备拒绝读取模型 {1} 的 {0} 个点，已略过：{2}{3}。',
  'The device does not say what it has as the profile expects. {0}': '设备没有按档案的预期说明自身内容。{0}',
  'The node "{0}" was not made of a device profile.': '节点“{0}”不是由设备档案创建的。',
  'the setting "{0}"': '设置“{0}”',
  'the tag "{0}" of the group "{1}"': '组“{1}”的点位“{0}”',
  'the interval of the group "{0}"': '组“{0}”的间隔',
  'The device profile brings {0}.': '设备档案带来{0}。',
  'The device profile has changed {0}, and nobody else has: the node gets it.':
    '设备档案更改了{0}，其他人没有更改：节点将采用。',
  'Somebody has deleted {0}: it stays away.': '有人删除了{0}：保持删除。',
  'Somebody has changed {0}, and the device profile has not: it stays as it is.':
    '有人更改了{0}，而设备档案没有：保持不变。',
  'The device profile does not have {0} any more. Somebody has to decide whether it goes.':
    '设备档案不再包含{0}。需要决定是否删除。',
  'The device profile does not have {0} any more, and somebody has changed it. Somebody has to decide whether it goes.':
    '设备档案不再包含{0}，而有人更改过它。需要决定是否删除。',
  'The device profile and somebody else have changed {0} in different ways. Somebody has to decide which counts.':
    '设备档案和其他人对{0}作了不同的更改。需要决定以哪一方为准。',
  'The node "{0}" is not changed, because somebody has to decide about {1} differences first, the first of which is {2}. Say for each whether the profile or the node counts.':
    '节点“{0}”未被更改，因为要先对 {1} 处差异作出决定，第一处是{2}。请逐一指明以档案还是以节点为准。',
  'The device profile "{0}" is not for the plugin "{1}"; it is for {2}.':
    '设备档案“{0}”不适用于插件“{1}”，它适用于 {2}。',
  'No plugin that the device profile "{0}" is for is installed. Install one of these and try again: {1}.':
    '设备档案“{0}”所需的插件均未安装。请安装其中之一后重试：{1}。',
  'The plugin "{0}" is not installed, so that nobody can say what it thinks of the addresses.':
    '插件“{0}”未安装，因此无法检查地址。',
  'Nobody knows the unit "{0}": use the usual symbol, such as kWh, °C or %.':
    '未知的单位“{0}”：请使用通用符号，例如 kWh、°C 或 %。',
  'The tag "{0}" of the group "{1}" is refused by the plugin "{2}". {3}':
    '插件“{2}”拒绝组“{1}”的点位“{0}”。{3}',
  'The plugin "{0}" has no setting "{1}", which the profile names.': '插件“{0}”没有档案中列出的设置“{1}”。',
  'The setting "{0}" is a secret of each device, and may not be in a profile.':
    '设置“{0}”是各设备自己的密文，不能放在档案中。',
  'The plugin "{0}" refuses the settings of the profile. {1}': '插件“{0}”拒绝档案中的设置。{1}',
  'The device profile has no parameter "{0}".': '设备档案没有参数“{0}”。',
  'The device profile needs the parameter "{0}", a whole number of {1} to {2}.':
    '设备档案需要参数“{0}”，为 {1} 到 {2} 的整数。',
  'The parameter "{0}" is {1}; it is a whole number of {2} to {3}.':
    '参数“{0}”为 {1}，应为 {2} 到 {3} 的整数。',
  'Its profile.json has more than {0} kB.': '其 profile.json 超过 {0} kB。',
  'Its profile.json is not JSON: {0}.': '其 profile.json 不是 JSON：{0}。',
  'The device profile is not valid. {0}': '设备档案无效。{0}',
  'It has neither groups nor a way to discover what the device has.':
    '它既没有组，也没有发现设备内容的方法。',
  'It has {0} tags; {1} are allowed.': '它有 {0} 个点位，最多允许 {1} 个。',
  'It names the plugin "{0}" twice.': '它两次列出插件“{0}”。',
  'It has the group "{0}" twice.': '它两次列出组“{0}”。',
  'Its group "{0}" has the tag "{1}" twice.': '其组“{0}”两次列出点位“{1}”。',
  'It has the parameter "{0}" twice.': '它两次列出参数“{0}”。',
  'The default of its parameter "{0}" is not within {1} to {2}.': '其参数“{0}”的默认值不在 {1} 到 {2} 之间。',
  'Its models have {0} points; {1} are allowed.': '其模型共有 {0} 个点，最多允许 {1} 个。',
  'It has the model {0} twice.': '它两次列出模型 {0}。',
  'Its model {0} has the point "{1}" twice.': '其模型 {0} 两次列出点“{1}”。',
  'The point "{0}" of its model {1} is of the type "{2}", which is not among its types.':
    '其模型 {1} 的点“{0}”的类型“{2}”不在其类型之中。',
  'The point "{0}" of its model {1} is of the type {2}, which no model has.':
    '其模型 {1} 的点“{0}”的类型 {2} 不能用于模型。',
  'The point "{0}" of its model {1} has to say how many registers it has if it is a text, and only then.':
    '其模型 {1} 的点“{0}”仅当为文本时必须给出寄存器数量。',
  'There is no device profile "{0}".': '没有设备档案“{0}”。',
  'The gateway has {0} device profiles, and takes no more.': '网关已有 {0} 个设备档案，不能再增加。',
  'The device profile "{0}" comes with the gateway and cannot be deleted.':
    '设备档案“{0}”随网关提供，不能删除。',
  'The device has to be reached to say what it has. {0}': '必须能连接设备才能得知其内容。{0}',
  'Asking the device what it has was given up after {0} reads: {1} reads and {2} s are allowed.':
    '读取 {0} 次后放弃询问设备内容：最多允许 {1} 次读取和 {2} 秒。',
  'The package {0} has no version that is a device profile which can be installed.':
    '软件包 {0} 没有可以安装的设备档案版本。',
  'The archive of version {0} of the package {1} holds another device profile than its registry says. It is not installed.':
    '软件包 {1} 的版本 {0} 的归档中的设备档案与软件源所述不同。没有安装。',
  'A device profile "{0}" is there already, which came from elsewhere. If the package {1} is to take its place, name the profile as what it replaces.':
    '已有来自别处的设备档案“{0}”。如要由软件包 {1} 取代，请将该档案指明为被取代者。',
  'Version {0} of the package {1} was published by {2}, and version {3}, which is installed, by {4}. If that is as it should be, accept it: publisher.':
    '软件包 {1} 的版本 {0} 由 {2} 发布，而已安装的版本 {3} 由 {4} 发布。如果没有问题，请接受：publisher。',
  'The registry leads to {0}, which is a machine of a private network or this one. It is asked only where an admin has named its origin at the registry.':
    '软件源指向 {0}，这是专用网络中的机器或本机。只有管理员在该软件源处列出其来源后才会查询。',
  'The registry {0} names the version, and does not have its archive any more.':
    '软件源 {0} 列出该版本，但已没有其归档。',
  'The registry {0} has no package {1}. Names are asked of this registry alone.':
    '软件源 {0} 没有软件包 {1}。名称只向此软件源查询。',
  'answers with something else than the package {0}': '答复的不是软件包 {0}',
  'answers with something that is not the JSON of a registry, perhaps a page for people':
    '答复的不是软件源的 JSON，可能是供人阅读的网页',
  'The registry {0} is not reached (status {1}): the proxy of the registry asks for credentials, or does not take those that are set.':
    '无法到达软件源 {0}（状态 {1}）：其代理要求凭据，或不接受已设置的凭据。',
  'The registry {0} refuses (status {1}): it asks for credentials, or does not take those that are set.':
    '软件源 {0} 拒绝（状态 {1}）：它要求凭据，或不接受已设置的凭据。',
  'The registry {0} answers with status {1}. Try again later.': '软件源 {0} 答复状态 {1}。请稍后再试。',
  'The registry {0} answers with status {1}. Is its address right?':
    '软件源 {0} 答复状态 {1}。其地址是否正确？',
  '"{0}" is not an address of http, https or a folder': '“{0}”不是 http、https 或文件夹的地址',
  'its file {0} cannot be read, because {1}': '无法读取其文件 {0}，因为 {1}',
  'The file {0} cannot be used: {1}.': '无法使用文件 {0}：{1}。',
  'leads from one address to the next, more than {0} times': '从一个地址转到下一个地址超过 {0} 次',
  'The registry {0} {1}.': '软件源 {0} {1}。',
  'answers that something is elsewhere, and does not say where': '答复内容在别处，但没有说明在哪里',
  'The registry {0} leads from https to an address without encryption, which is not followed.':
    '软件源 {0} 从 https 转到未加密的地址，不予跟随。',
  'The registry {0} keeps its archives at {1}. If that is as it should be, an admin names this origin at the registry.':
    '软件源 {0} 的归档在 {1}。如果没有问题，请管理员在该软件源处列出此来源。',
  'sends more than {0} MB, which is more than is taken': '发送超过 {0} MB，超出上限',
  'has a name that is not known here': '的名称在此无法解析',
  'refuses the connection': '拒绝连接',
  'cannot be reached from this network': '从此网络无法到达',
  'ends the connection': '中断了连接',
  'has a certificate that is not valid at this time': '的证书此时无效',
  'has a certificate for another name': '的证书属于别的名称',
  'has a certificate of an authority that is not known here; an admin can give that of the authority at the registry':
    '的证书由此处未知的机构签发；管理员可在该软件源处填写机构证书',
  'does not speak TLS as it should': '的 TLS 不正确',
  'sends something that is packed wrongly': '发送的压缩内容有误',
  'The registry {0} does not answer in time.': '软件源 {0} 没有按时答复。',
  'The registry {0} leads to {1}, which does not answer in time.': '软件源 {0} 指向 {1}，后者没有按时答复。',
  'does not answer': '没有答复',
  'The registry {0} cannot be asked: it {1}.': '无法查询软件源 {0}：它{1}。',
  'The registry {0} cannot be asked: {1} {2}.': '无法查询软件源 {0}：{1} {2}。',
  'The registry {0} has no search. A package whose name is known can be looked at and installed all the same.':
    '软件源 {0} 不支持搜索。知道名称的软件包仍可查看和安装。',
  'answers a search with something else than what was found': '对搜索的答复不是搜索结果',
  'The question was cancelled.': '查询已取消。',
  'cannot be asked': '无法询问',
  'could not be started': '无法启动',
  'The registry sends more than fits into the memory for it.': '软件源发送的内容超出为其预留的内存。',
  'has ended': '已结束',
  'The process that asks registries {0}. Try again.': '查询软件源的进程{0}。请重试。',
  'comes with the gateway': '随网关提供',
  'was installed from a file': '由文件安装',
  'was installed from the package {0} of the registry {1}': '由软件源 {1} 的软件包 {0} 安装',
  'No registry is set to be searched. A package whose name is known can be looked at and installed all the same.':
    '没有设置可搜索的软件源。知道名称的软件包仍可查看和安装。',
  'name of the package': '软件包名称',
  version: '版本',
  'id of the plugin': '插件标识',
  'kind of the plugin': '插件类型',
  'range of SDK versions': 'SDK 版本范围',
  'The archive of version {0} of the package {1} has another {2} than its registry says. It is not installed.':
    '软件包 {1} 版本 {0} 的归档中的{2}与软件源所述不同。没有安装。',
  'The package {0} has a script "{1}" for its installation, and a gateway runs no such script. Its author has to pack it with pluginkit, which puts into the archive what the script would make.':
    '软件包 {0} 有安装脚本“{1}”，网关不运行此类脚本。作者需用 pluginkit 打包，它会把脚本生成的内容放入归档。',
  'The package {0} needs the package {1}, which is not in its archive, and a gateway fetches none. Its author has to pack it with pluginkit, which bundles what a plugin needs.':
    '软件包 {0} 需要软件包 {1}，但归档中没有，网关也不会下载。作者需用 pluginkit 打包，它会包含插件所需的内容。',
  '{0} packages are being looked at or installed. Try again later.':
    '正在查看或安装 {0} 个软件包。请稍后再试。',
  'The job is over.': '任务已结束。',
  'The plugin is being put in its place, which is not interrupted.': '正在安装插件，不能中断。',
  'There is no such job: it ended long ago, or before the gateway started.':
    '没有此任务：它早已结束，或在网关启动之前结束。',
  'An update names the plugin.': '更新须指明插件。',
  'What is looked at or installed is named as a package.': '查看或安装须指明软件包。',
  'The plugin "{0}" {1}, so that there is no registry to ask for another version.':
    '插件“{0}”{1}，因此没有软件源可查询其他版本。',
  'The plugin "{0}" {1}, and the package is now asked of {2}. An update comes from where the plugin came from. Set that registry again, or install the package by its name as what replaces the plugin.':
    '插件“{0}”{1}，而现在该软件包向 {2} 查询。更新须来自插件的原来源。请重新设置该软件源，或按名称安装软件包来取代此插件。',
  'There are two registries for names without a scope. A name is asked of one registry.':
    '无作用域的名称有两个软件源。一个名称只向一个软件源查询。',
  'There are two registries for {0}. A name is asked of one registry.':
    '{0} 有两个软件源。一个名称只向一个软件源查询。',
  'The member "{0}" of the registry {1} is {2}, which is shown instead of a secret and keeps the one that is stored for the same scope and address, and here none is. Send the secret itself, or leave it out.':
    '软件源 {1} 的“{0}”为 {2}。这是代替密文显示的字样，表示保留同一作用域和地址已存的密文，而这里没有。请填写密文本身，或不填此项。',
  'The member "{0}" of the registry {1} was stored with another key of secrets and cannot be opened. Set it anew.':
    '软件源 {1} 的“{0}”是用另一个密文密钥存储的，无法打开。请重新设置。',
  '"{0}" is not an address.': '“{0}”不是地址。',
  'The registry {0} has a trust root that is none: it is the text of a trusted_root.json of sigstore.':
    '软件源 {0} 的信任根无效：它应是 sigstore 的 trusted_root.json 的文本。',
  '"{0}" is no origin, such as https://files.example:8443, without a path.':
    '“{0}”不是来源，例如 https://files.example:8443，不含路径。',
  'The address of a registry ends with its path.': '软件源的地址以路径结尾。',
  'The address of a registry has no user and no password: give them as members of their own.':
    '软件源的地址不含用户和密码：请单独填写。',
  'The registry {0} has a certificate without a key, or a key without a certificate.':
    '软件源 {0} 有证书而没有密钥，或有密钥而没有证书。',
  'The registry {0} has a user without a password, or a password without a user.':
    '软件源 {0} 有用户而没有密码，或有密码而没有用户。',
  'The registry {0} has both a token and a user: it gets one of them.':
    '软件源 {0} 既有令牌又有用户：只能使用其一。',
  '"{0}" is not the address of a folder, such as file:///media/stick/mirror.':
    '“{0}”不是文件夹的地址，例如 file:///media/stick/mirror。',
  'The mirror {0} is a folder: it goes without certificate, user, token and proxy.':
    '镜像 {0} 是文件夹：不使用证书、用户、令牌和代理。',
  'The registry {0} has a key that is no public key for ECDSA in PEM.':
    '软件源 {0} 的密钥不是 PEM 格式的 ECDSA 公钥。',
  'Version {0} of the package {1} cannot be installed here. {2}': '软件包 {1} 的版本 {0} 不能在此安装。{2}',
  'The package {0} has no version {1}, or has it no more.': '软件包 {0} 没有版本 {1}，或已不再提供。',
  'The package {0} has no version that is a release and not withdrawn.': '软件包 {0} 没有未撤回的正式版本。',
  'The package {0} has no version that is a release and not withdrawn; its newest one is {1}.':
    '软件包 {0} 没有未撤回的正式版本；最新的是 {1}。',
  '"{0}" is not the name of a package, such as tagway-meter or @acme/tagway-meter.':
    '“{0}”不是软件包名称，例如 tagway-meter 或 @acme/tagway-meter。',
  '"{0}" is not a version, such as 1.2.0.': '“{0}”不是版本，例如 1.2.0。',
  'Version {0} of the package {1} has a signature by a key of the registry {2} that is not good: what it says was altered. It is not installed.':
    '软件包 {1} 的版本 {0} 带有软件源 {2} 密钥的无效签名：其内容被更改。没有安装。',
  'Version {0} of the package {1} has a signature by a key of the registry {2} that is not good: it was made after the end of the key. It is not installed.':
    '软件包 {1} 的版本 {0} 带有软件源 {2} 密钥的无效签名：签名晚于密钥的有效期。没有安装。',
  'Version {0} of the package {1} has no signature by a known key of its registry, and the registry {2} is set so that one is required. It is not installed.':
    '软件包 {1} 的版本 {0} 没有其软件源已知密钥的签名，而软件源 {2} 已设为必须有签名。没有安装。',
  'A page has 1 to {0} packages.': '每页 1 至 {0} 个软件包。',
  'It was cancelled. Nothing was changed.': '已取消，没有任何更改。',
  'Version {0} of the plugin "{1}" is the newest one that fits.': '插件“{1}”的版本 {0} 是适用的最新版本。',
  'Version {0} of the plugin "{1}" is installed, from the package {2} of {3}.':
    '已安装插件“{1}”的版本 {0}，来自 {3} 的软件包 {2}。',
  'A plugin "{0}" with the id {1} is there already, which {2}.': '已有 ID 为 {1} 的插件“{0}”，它{2}。',
  'The name of the package {0} can be taken for {1}, which is installed: is it the one that is meant?':
    '软件包 {0} 的名称容易与已安装的 {1} 混淆：要安装的确实是它吗？',
  'Version {0} was published by {1}, and version {2}, which is installed, by {3}.':
    '版本 {0} 由 {1} 发布，而已安装的版本 {2} 由 {3} 发布。',
  'somebody who is not named': '未具名者',
  'Version {0} has no attestation of the sources that it was built from, and version {1}, which is installed, has one.':
    '版本 {0} 没有其构建来源的证明，而已安装的版本 {1} 有。',
  'The sources of version {0} are at {1}, and those of version {2}, which is installed, at {3}.':
    '版本 {0} 的源代码位于 {1}，而已安装的版本 {2} 的源代码位于 {3}。',
  'no place that is named': '未指明的位置',
  'Its package.json does not say which plugin is in it (member "tagway"), as pluginkit publish writes it.':
    '其 package.json 没有说明其中是哪个插件（成员“tagway”，由 pluginkit publish 写入）。',
  'It asks for the SDK "{0}", which is not a range of versions.': '它要求的 SDK“{0}”不是版本范围。',
  'It was built for version {0} of the SDK and this gateway has {1}; it needs a new release, because plugins for {2} to {3} run here.':
    '它是为 SDK 版本 {0} 构建的，而本网关的版本为 {1}；需要新的发行版，因为此处运行适用于 {2} 至 {3} 的插件。',
  'The registry gives no SHA-512 of it, so that nobody can say whether what comes is what was published.':
    '软件源没有提供其 SHA-512，因此无法确定收到的就是所发布的内容。',
  'operating system': '操作系统',
  processor: '处理器',
  'C library': 'C 库',
  'It is for another {0}: for {1}, and this machine has {2}.': '它适用于其他{0}：适用于 {1}，而本机为 {2}。',
  'The registry {0} has found more than is shown. Search for more words.':
    '软件源 {0} 找到的比显示的更多。请使用更多的搜索词。',
  'It came from {0}, and its package is now asked of {1}.': '它来自 {0}，而现在向 {1} 查询其软件包。',
  '{0} {1}': '{0} {1}',
  'The configuration is managed by {0}, commit {1}, and what is changed by hand is put back: change it there. To change something here, start the gateway with --config-drift keep.':
    '配置由 {0} 管理（提交 {1}），手工更改会被还原：请在该处更改。若要在此处更改，请以 --config-drift keep 启动网关。',
  'The configuration of this gateway is pulled from no source.': '本网关的配置不从任何来源获取。',
  'Nothing of {0} is applied yet.': '尚未应用 {0} 的任何内容。',
  'Somebody else has this gateway compared with its source already. Try again in a moment.':
    '已有其他人正在将本网关与其来源比较，请稍后重试。',
  'What is otherwise here cannot be brought into {0}: {1}': '此处的差异无法写入 {0}：{1}',
  'This gateway takes no calls of webhooks: it was started without --config-webhook.':
    '本网关不接受 webhook 调用：启动时没有使用 --config-webhook。',
  'The file of --config-webhook cannot be read, or has less than {0} characters.':
    '--config-webhook 的文件无法读取，或少于 {0} 个字符。',
  'The webhook is not signed with the secret of this gateway.': 'webhook 未用本网关的密钥签名。',
  'The call has neither X-Hub-Signature-256 nor X-Gitlab-Token, or this gateway has no source.':
    '调用既没有 X-Hub-Signature-256 也没有 X-Gitlab-Token，或本网关没有配置来源。',
  'has a certificate of an authority that is not known here; --config-ca names a file with that of the authority':
    '的证书由此处未知的机构签发；--config-ca 指定含有该机构证书的文件',

  // Sign-in
  '{0} cannot be asked: it {1}.': '无法询问{0}：它{1}。',
  '{0} does not answer within {1} seconds. Users of the gateway itself can log in meanwhile.':
    '{0}在 {1} 秒内没有应答。期间网关自己的用户仍可登录。',
  'The directory': '目录服务器',
  'The provider of the sign-in': '登录提供方',
  'has a certificate of an authority that is not known here; an admin can give that of the authority in the settings of the sign-in':
    '的证书由此处未知的机构签发；管理员可在登录设置中填写该机构的证书',
  'The directory has more than one user of this name below the base of the search. Set a narrower base, or another attribute.':
    '在搜索的起点之下，目录中有多个同名用户。请设置更窄的起点或其他属性。',
  'The directory sends more than {0} bytes, which is more than is taken.':
    '目录服务器发送了超过 {0} 字节，超出了接收上限。',
  'The directory does not take "bind_dn" with its password, as which users are looked for.':
    '目录服务器不接受用于查找用户的“bind_dn”及其密码。',
  'The directory refuses what is asked, with the code {0} of LDAP. Are the base of the search and StartTLS right?':
    '目录服务器以 LDAP 代码 {0} 拒绝了请求。搜索的起点和 StartTLS 是否正确？',
  'The provider of the sign-in leads to an address without https.': '登录提供方指向了一个不用 https 的地址。',
  'The provider of the sign-in sends more than {0} bytes, which is more than is taken.':
    '登录提供方发送了超过 {0} 字节，超出了接收上限。',
  'The provider of the sign-in does not publish its keys as it should.': '登录提供方没有按规定公布其密钥。',
  'The provider of the sign-in publishes no keys.': '登录提供方没有公布密钥。',
  'The provider of the sign-in calls itself otherwise than its address in the settings.':
    '登录提供方的自称与设置中的地址不同。',
  'What is at the address of the provider does not describe a provider of OpenID Connect. Is the address right?':
    '提供方地址上的内容不是 OpenID Connect 提供方的描述。地址是否正确？',
  'The token of the provider cannot be decoded, or is not signed by a key and with an algorithm that the provider publishes.':
    '提供方的令牌无法解码，或不是用提供方公布的密钥和算法签名的。',
  'The token of the provider has expired; ask it for a new one.': '提供方的令牌已过期；请向它获取新的令牌。',
  'The token of the provider is not made out to this gateway. Ask it for one with the audience in the settings of the sign-in.':
    '提供方的令牌不是发给本网关的。请按登录设置中的受众向它获取令牌。',
  'The token of the provider is not valid yet; are the clocks right?': '提供方的令牌尚未生效；时钟是否正确？',
  'The token of the provider does not say when it expires.': '提供方的令牌没有说明何时过期。',
  'The token of the provider has a claim "{0}" that cannot be taken.': '提供方令牌的声明“{0}”不可接受。',
  'The provider did not sign the user in. Begin again, or ask who runs it.':
    '提供方没有让用户登录。请重新开始，或询问其运营者。',
  'What came back from the provider does not belong to this sign-in, or was used already. Begin it again.':
    '从提供方返回的内容不属于这次登录，或已被使用。请重新开始。',
  'Too many logins wait for the provider of the sign-in. Try again in some seconds.':
    '等待登录提供方的登录太多。请几秒后重试。',
  'The page is not one from which the provider is asked: an admin has named none.':
    '不能从此页面向提供方登录：管理员没有指定页面地址。',
  'The sign-in begins at the address {0} of the page, and not at this one. An admin can name others.':
    '登录要从页面地址 {0} 开始，而不是此地址。管理员可以指定其他地址。',
  'The sign-in did not begin in this browser, took longer than ten minutes, or is over already. Begin it again.':
    '登录不是在此浏览器中开始的，或超过了十分钟，或已结束。请重新开始。',
  'Of "ldap" and "oidc", one is tried at a time.': '“ldap”和“oidc”一次只能测试一个。',
  'The directory knows the user "{0}", but none of the groups of this user has a role at this gateway. An admin can give a group a role.':
    '目录中有用户“{0}”，但该用户的组在本网关都没有角色。管理员可以为组指定角色。',
  'The provider does not say whose the token is, in the claim "{0}".':
    '提供方没有在声明“{0}”中说明令牌属于谁。',
  'The provider knows the user "{0}", but nothing in the claim "{1}" has a role at this gateway. An admin can give a value of it a role.':
    '提供方有用户“{0}”，但声明“{1}”中没有任何值在本网关有角色。管理员可以为其中的值指定角色。',
  'No provider of the sign-in is set.': '没有设置登录提供方。',
  'This gateway asks no provider of a sign-in.': '本网关不询问任何登录提供方。',
  'A secret of the sign-in was stored with another key of secrets and cannot be opened. Set it anew.':
    '登录的一个密文是用另一把密钥存储的，无法打开。请重新设置。',
  'A secret is {0}, which is shown instead of it and keeps the one that is stored for the same address, and here none is. Send the secret itself.':
    '密文为 {0}。这是代替密文显示的字样，表示保留同一地址已存的密文，而这里没有。请填写密文本身。',
  'The address of the directory': '目录的地址',
  'The address of the provider': '提供方的地址',
  'The address of the page': '页面的地址',
  'The address of the directory ends with its port. The base of a search is a setting of its own.':
    '目录的地址到端口为止。搜索的起点是单独的设置。',
  '"base" is missing: users are looked for below it.': '缺少“base”：在它之下查找用户。',
  '"{0}" cannot be the name of an attribute.': '“{0}”不能是属性的名称。',
  '"bind_dn" is the name (DN) as which users are looked for, and "bind_password" its password: both or none.':
    '“bind_dn”是用于查找用户的名称（DN），“bind_password”是其密码：两者都填或都不填。',
  '{0} is none: "{1}".': '{0}无效：“{1}”。',
  '{0} has no user, no password, and nothing after its path.': '{0}不含用户和密码，路径之后也没有任何内容。',
  'The authorities are no certificates in PEM.': '机构不是 PEM 格式的证书。',
  'The session of the user "{0}" is of before the settings of the sign-in were changed. Sign in again.':
    '用户“{0}”的会话早于登录设置的更改。请重新登录。',
  '"user_dn" has {0} in the place of the name and something beside it, such as uid={1},ou=people,dc=example,dc=org or {2}@example.org.':
    '“user_dn”在名称处为 {0}，此外还有其他内容，例如 uid={1},ou=people,dc=example,dc=org 或 {2}@example.org。',
  'The provider needs an address with https: otherwise anybody on the way could say who users are.':
    '提供方需要 https 地址：否则途中任何人都可以冒充用户。',
};
