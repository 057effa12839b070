/** What is wrong with a configuration source and with its files, in Chinese. These sentences reach the page as texts, too. */
export const sourceSentences: Readonly<Record<string, string>> = {
  // The files
  'The folder {0} cannot be read: {1}.': '无法读取文件夹 {0}：{1}。',
  '{0} is to be a folder, and it cannot be read: {1}.': '{0} 应为文件夹，但无法读取：{1}。',
  '{0} has a file whose name is not in UTF-8.': '{0} 中有文件名不是 UTF-8 编码的文件。',
  'The folder {0} has {1} files; {2} are allowed.': '文件夹 {0} 有 {1} 个文件；最多允许 {2} 个。',
  '{0} is listed in its folder and leads to nothing.': '{0} 在其文件夹中列出，但指向的内容不存在。',
  'The file {0} has {1} bytes; {2} are allowed.': '文件 {0} 有 {1} 字节；最多允许 {2} 字节。',
  'The files of the folder have more than {0} bytes together.': '文件夹中的文件合计超过 {0} 字节。',
  'The files of the folder have more than {0} tags together.': '文件夹中的文件合计超过 {0} 个点位。',
  'The file {0} is not in UTF-8.': '文件 {0} 不是 UTF-8 编码。',
  '{0} leads out of the folder, and nothing outside of it is read.':
    '{0} 指向文件夹之外，而文件夹之外的内容不会被读取。',
  '{0} is a link that leads out of the folder; links may not.': '{0} 是指向文件夹之外的链接，这是不允许的。',
  'The folder {0} is no configuration folder: it has no file gateway.yaml.':
    '文件夹 {0} 不是配置文件夹：其中没有 gateway.yaml。',
  '{0} belongs to a file {1}, which is not there.': '{0} 属于文件 {1}，但该文件不存在。',
  'The name of {0} has to end in .yaml.': '{0} 的名称必须以 .yaml 结尾。',
  'The file {0} is no JSON.': '文件 {0} 不是 JSON。',
  'The file {0} cannot be read as YAML: it nests too deeply.': '文件 {0} 无法作为 YAML 读取：嵌套过深。',
  'The file {0} cannot be read as YAML: its anchors are referred to more often than is allowed, or to no end.':
    '文件 {0} 无法作为 YAML 读取：锚点的引用次数超过允许值，或无休止。',
  'There is no file {0} with the variables of "{1}".': '没有含“{1}”的变量的文件 {0}。',
  // Where files come from
  'The file {0} of --config-token cannot be read: {1}.': '无法读取 --config-token 的文件 {0}：{1}。',
  'The file {0} of --config-token is to have a token and nothing else.':
    '--config-token 的文件 {0} 应只含一个令牌。',
  'The file {0} cannot be read: {1}.': '无法读取文件 {0}：{1}。',
  'The commit {0} is not what its id says.': '提交 {0} 的内容与其标识不符。',
  'A source of git+{0} needs the program git, from version 2.31 on, and there is none on this machine. Install it, or use git+https.':
    'git+{0} 来源需要 git 程序（2.31 或更高版本），而本机没有。请安装，或使用 git+https。',
  'The repository {0} has no commit.': '仓库 {0} 没有提交。',
  'The repository {0} has no branch "{1}".': '仓库 {0} 没有分支“{1}”。',
  'Folders of the repository are deeper than {0}.': '仓库的文件夹层数超过 {0}。',
  'The repository {0} cannot be fetched: {1}.': '无法获取仓库 {0}：{1}。',
  'The repository {0} was not read within {1} seconds.': '未能在 {1} 秒内读完仓库 {0}。',
  'The repository {0} sends nothing for {1} seconds.': '仓库 {0} 已有 {1} 秒没有发送任何内容。',
  'The repository {0} sends more than {1} bytes, which is more than is taken.':
    '仓库 {0} 发送的内容超过可接收的 {1} 字节。',
  'the server does not take the token or the certificate, or asks for one':
    '服务器不接受该令牌或证书，或要求提供',
  'the server leads to another address, which is not followed': '服务器指向另一个地址，网关不会跟随',
  'the server answers with status {0}': '服务器以状态 {0} 应答',
  'what the server sends is not as it should be ({0})': '服务器发送的内容不正确（{0}）',
  'the server has another key than the file of --config-known-hosts says, or is not in it':
    '服务器的密钥与 --config-known-hosts 的文件不符，或不在其中',
  'the server does not take the key of --config-key for the user "{0}"':
    '服务器不接受用户“{0}”的 --config-key 密钥',
  'the certificate of the server is not good: {0}': '服务器的证书无效：{0}',
  'there is no repository': '没有仓库',
  'The commit {0} is older than the one that is applied. To go back, make a new commit, such as with git revert.':
    '提交 {0} 早于已应用的提交。若要退回，请新建提交，例如用 git revert。',
  'The commit {0} of {1} has no folder "{2}".': '{1} 的提交 {0} 没有文件夹“{2}”。',
  'The folder of the repository has {0} files; {1} are allowed.':
    '仓库的文件夹有 {0} 个文件；最多允许 {1} 个。',
  '"{0}" in the repository is a link; a configuration folder of a repository has none.':
    '仓库中的“{0}”是链接；仓库的配置文件夹中不得有链接。',
  '"{0}" in the repository is a submodule; what is in it is not fetched, so it may not be there.':
    '仓库中的“{0}”是子模块；其内容不会被获取，因此不得存在。',
  '"{0}" in the repository is no file.': '仓库中的“{0}”不是文件。',
  '"{0}" in the repository is no name of a file.': '仓库中的“{0}”不是文件名。',
  'The commit {0} is not signed, and this gateway takes signed commits only.':
    '提交 {0} 未签名，而本网关只接受已签名的提交。',
  'The commit {0} is signed in a way that is neither of OpenPGP nor of SSH.':
    '提交 {0} 的签名方式既不是 OpenPGP 也不是 SSH。',
  'The commit {0} is signed, and there is no key of {1} in {2} to verify it with.':
    '提交 {0} 已签名，但 {2} 中没有可用于验证的 {1} 密钥。',
  'The commit {0} is signed, and there is no program {1} here that verifies it.':
    '提交 {0} 已签名，但本机没有用于验证的程序 {1}。',
  'The commit {0} has a signature that is not by any of the keys in {1}, or is not good any more.':
    '提交 {0} 的签名不属于 {1} 中的任何密钥，或已失效。',
  'In the folder {0} folders are deeper than {1}.': '文件夹 {0} 中的层数超过 {1}。',
  'The folder {0} has more than {1} files.': '文件夹 {0} 的文件超过 {1} 个。',
  'The folder {0} is being written: it is read once nothing in it changes for {1} seconds.':
    '文件夹 {0} 正在写入：其中 {1} 秒内没有变化后才会读取。',
  'The folder {0} was written while it was read.': '文件夹 {0} 在读取期间被写入。',
  'The files of {0} have changed since they were applied.': '{0} 的文件自应用以来已更改。',
  'What is in the source does not fit into the memory for it.': '来源的内容超出为其准备的内存。',
  'The source was not read within {0} seconds.': '未能在 {0} 秒内读完来源。',
  'The process that reads the source has ended before it was done.': '读取来源的进程在完成前已结束。',
  'The process that reads the source cannot be started: {0}.': '无法启动读取来源的进程：{0}。',
  'The process that reads the source cannot be asked.': '无法向读取来源的进程发出请求。',
  'The gateway failed at a look at the source; its log has more.': '网关查看来源时失败；详情见日志。',
  // In a file: its path and what is wrong in it, which may be a sentence of its own.
  'gateway.yaml: {0}': 'gateway.yaml：{0}',
  'drivers/{0}: {1}': 'drivers/{0}：{1}',
  'apps/{0}: {1}': 'apps/{0}：{1}',
  'templates/{0}: {1}': 'templates/{0}：{1}',
  'vars/{0}: {1}': 'vars/{0}：{1}',
};
