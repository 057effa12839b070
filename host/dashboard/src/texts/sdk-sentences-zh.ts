/**
 * Sentences that reach the page as texts, in Chinese: what the SDK says of links and of points, what is wrong with fields, and what our apps say of
 * brokers and stores. Those with places may have such a sentence, or a clause of one, in a place.
 */
export const sdkSentences: Readonly<Record<string, string>> = {
  // Links
  'The link to the device is down: {0}.': '与设备的连接已断开：{0}。',
  'The link to the device is down; the driver keeps trying to restore it.':
    '与设备的连接已断开；驱动正在不断尝试恢复。',
  'The driver does not run: its start has failed so far; the log has the reason.':
    '驱动未运行：目前启动失败，原因见日志。',
  'The driver does not run.': '驱动未运行。',
  'The node was stopped.': '节点已停止。',
  'the name of {0} cannot be resolved ({1})': '无法解析 {0} 的名称（{1}）',
  'the name of {0} was not resolved within {1} ms': '未能在 {1} 毫秒内解析 {0} 的名称',
  '{0} refuses connections: nothing listens on that port ({1})': '{0} 拒绝连接：该端口上没有服务（{1}）',
  'no way leads to {0} ({1})': '没有通往 {0} 的网络路径（{1}）',
  '{0} does not answer any more ({1})': '{0} 不再应答（{1}）',
  '{0} closed the connection ({1})': '{0} 关闭了连接（{1}）',
  '{0} closed the connection': '{0} 关闭了连接',
  '{0} did not accept a connection within {1} ms': '{0} 未在 {1} 毫秒内接受连接',
  '{0} did not agree on TLS within {1} ms': '{0} 未在 {1} 毫秒内完成 TLS 协商',
  'nothing was answered for {0} ms': '{0} 毫秒内没有任何应答',
  'no device has connected to {0} yet': '还没有设备连接到 {0}',
  'The node cannot listen on {0}: {1}.': '节点无法在 {0} 上监听：{1}。',
  'the local port {0} cannot be used: {1}': '无法使用本地端口 {0}：{1}',
  'another program or node has it; choose a free one in the setting {0} ({1})':
    '该端口已被其他程序或节点占用；请在设置 {0} 中选择空闲端口（{1}）',
  'this user may not have ports below 1024, and the service of "tagway service install" may; without it choose a higher one in the setting {0} ({1})':
    '当前用户不得使用 1024 以下的端口，用“tagway service install”安装的服务可以；否则请在设置 {0} 中选择更大的端口（{1}）',
  'this machine has no such address ({0})': '本机没有该地址（{0}）',
  'the node stops': '节点正在停止',

  // Points
  'The device did not answer in time; check its address or unit number, the cabling and the timeout setting.':
    '设备未及时应答；请检查其地址或站号、接线和超时设置。',
  'The device sent a reply that does not fit the request; the driver dropped the connection and makes a new one.':
    '设备的应答与请求不符；驱动已断开连接并重新建立。',
  'The reply arrived damaged: its checksum is wrong. Check the cabling, the termination of the line, and that baud rate, parity and stop bits are those of the device.':
    '应答已损坏：校验和错误。请检查接线、终端电阻，以及波特率、校验位和停止位是否与设备一致。',
  'The value is of another kind (number, text, bytes, truth value) than the type of the tag.':
    '该值的种类（数字、文本、字节、真假值）与点位的类型不同。',
  'The value lies outside the range of the type of the tag, or is not a number.':
    '该值超出点位类型的范围，或不是数字。',

  // Fields
  'The field {0} is missing.': '缺少字段 {0}。',
  'The field {0} is not known.': '字段 {0} 未知。',
  'The field {0} is not allowed here.': '此处不允许字段 {0}。',
  'The field {0} has a name that is not allowed.': '字段 {0} 的名称不允许。',
  'The field {0} has a type or a value that is not allowed.': '字段 {0} 的类型或值不允许。',
  'The field {0} must be one of {1}.': '字段 {0} 必须是以下之一：{1}。',
  'The field {0} must be at least {1}.': '字段 {0} 不得小于 {1}。',
  'The field {0} must be at most {1}.': '字段 {0} 不得大于 {1}。',
  'The field {0} must not be empty.': '字段 {0} 不得为空。',
  'The field {0} must have {1} characters or more.': '字段 {0} 至少要有 {1} 个字符。',
  'The field {0} must have {1} characters or fewer.': '字段 {0} 最多 {1} 个字符。',
  'The field {0} must have {1} or more entries.': '字段 {0} 至少要有 {1} 项。',
  'The field {0} must have {1} or fewer entries.': '字段 {0} 最多 {1} 项。',
  'The field {0} has the same entry twice.': '字段 {0} 中有重复的项。',
  'The field {0} does not match the pattern {1}.': '字段 {0} 不符合模式 {1}。',
  'The field {0} does not have the form of {1}.': '字段 {0} 的格式应如 {1}。',
  'The field {0} does not have the form that is expected: {1}.': '字段 {0} 的格式不符合要求：{1}。',
  'The field {0} is not a valid {1}.': '字段 {0} 不是有效的 {1}。',
  'The field {0} must be the content of a file in base64.': '字段 {0} 必须是 base64 编码的文件内容。',
  'The field {0} must be {1}.': '字段 {0} 必须是{1}。',
  'One of the fields {0} must be given.': '必须给出以下字段之一：{0}。',
  '{0} more are left out.': '另有 {0} 条未列出。',
  'an object': '对象',
  'a list': '列表',
  'a text': '文本',
  'an integer': '整数',
  'a number': '数字',
  'true or false': 'true 或 false',

  // Brokers and stores
  'There is no connection to {0}: {1}': '无法连接到 {0}：{1}',
  'The connection to {0} has ended: {1}': '与 {0} 的连接已断开：{1}',
  'The broker closed the connection.': '服务器关闭了连接。',
  'There was no answer within {0} ms, the setting "timeout".': '在 {0} 毫秒（设置 timeout）内没有应答。',
  'Nothing was sent to {0} yet.': '尚未向 {0} 发送任何内容。',
  '{0} takes no records: {1}': '{0} 不接收记录：{1}',
};
