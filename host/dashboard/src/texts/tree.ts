/** The texts of the tree of tags, which come with it. */
export const en = {
  tree: {
    title: 'Tree of tags',
    separator: 'Separator in names',
    separatorHelp:
      'Names of nodes, groups and tags are cut here, such as plant/line 1/oven, for everybody who looks at the tree.',
    filter: 'Filter',
    tags_one: '1 tag',
    tags_other: '{{n}} tags',
    loading: 'loading',
    shown: '{{shown}} of {{found}} tags are shown. Add a word to find others.',
    found: '{{found}} tags found',
    none: 'No driver has a group yet.',
    nothing: 'Nothing has all of these words.',
  },
};

export type TreeTexts = typeof en;

export const zh: TreeTexts = {
  tree: {
    title: '点位树',
    separator: '名称中的分隔符',
    separatorHelp: '节点、组和点位的名称在此处分层，例如 工厂/一号线/炉子；对所有用户生效。',
    filter: '筛选',
    tags_one: '{{n}} 个点位',
    tags_other: '{{n}} 个点位',
    loading: '正在加载',
    shown: '显示 {{found}} 个点位中的 {{shown}} 个。增加一个词可查找其他点位。',
    found: '找到 {{found}} 个点位',
    none: '还没有任何驱动有组。',
    nothing: '没有同时包含这些词的内容。',
  },
};
