import { expect } from 'chai';
import { mergedYaml, type Shape, yamlOf } from '../../src/folder/yaml-merge.ts';

const nameOf = (entry: unknown): string => String((entry as { readonly name?: unknown }).name);
const shape: Shape = {
  defaults: { stopped: false },
  members: {
    groups: { keyOf: nameOf, entry: { members: { tags: { keyOf: nameOf, entry: { isLine: true } } } } },
  },
};
const tag = (name: string, more: object = {}): object => ({ name, address: '1!1', ...more });
const merged = (text: string, value: object): string => mergedYaml(text, 'x.yaml', value, shape);

const text = `# The first line.
plugin: Modbus TCP # as before
stopped: false
settings:
  host: "10.0.0.1" # the press
  port: 0x1f6
groups:
  # Fast ones.
  - name: g
    tags:
      # The temperature.
      - { name: a, address: "1!1" } # hot
      - name: b
        address: 1!1
`;
const value = {
  plugin: 'Modbus TCP',
  settings: { host: '10.0.0.1', port: 502 },
  groups: [{ name: 'g', tags: [tag('a'), tag('b')] }],
};

describe('a file that is written again', () => {
  it('stays as it is while it says the same, in any notation and order', () => {
    expect(merged(text, value)).to.equal(text);
    const other = { ...value, groups: [{ name: 'g', tags: [tag('b'), tag('a')] }] };
    expect(merged(text, other)).to.equal(text);
  });

  it('keeps its comments where values change, come and go', () => {
    const next = {
      plugin: 'Modbus TCP',
      settings: { host: '10.0.0.2', port: 502, timeout: 1000 },
      groups: [{ name: 'g', tags: [tag('a', { description: 'x' }), tag('c')] }, { name: 'h' }],
    };
    expect(merged(text, next)).to.equal(`# The first line.
plugin: Modbus TCP # as before
stopped: false
settings:
  host: "10.0.0.2" # the press
  port: 0x1f6
  timeout: 1000
groups:
  # Fast ones.
  - name: g
    tags:
      # The temperature.
      - { name: a, address: "1!1", description: x } # hot
      - { name: c, address: 1!1 }
  - name: h
`);
  });

  it('says what it is to say also where anchors would carry a change elsewhere', () => {
    const anchored = 'groups:\n  - &one { name: g, params: { a: 1 } }\n  - { name: h, like: *one }\n';
    const now = {
      groups: [
        { name: 'g', params: { a: 2 } },
        { name: 'h', like: { name: 'g', params: { a: 1 } } },
      ],
    };
    const written = merged(anchored, now);
    expect(merged(written, now)).to.equal(written);
    expect(written).not.to.include('*one');
  });

  it('is made with a comment for editors and one line for a tag', () => {
    expect(yamlOf(value, shape, 'for editors')).to.equal(`# for editors

plugin: Modbus TCP
settings:
  host: 10.0.0.1
  port: 502
groups:
  - name: g
    tags:
      - { name: a, address: 1!1 }
      - { name: b, address: 1!1 }
`);
  });
});
