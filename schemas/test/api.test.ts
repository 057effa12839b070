import { expect } from 'chai';
import { checkOf } from '../src/validate.ts';

const tag = { name: 'a', address: '1!400001', attribute: 3, type: 3 };

describe('the API schemas', () => {
  it('accept a tag batch and ignore keys they do not know', () => {
    const check = checkOf('TagsBody');
    expect(check({ node: 'n', group: 'g', tags: [tag, { ...tag, precison: 2, unit: 'V' }] })).to.equal(
      undefined,
    );
    expect(check({ node: 'n', group: 'g', tags: [] })).to.equal(undefined);
  });

  it('name the place of what is missing or has the wrong type', () => {
    const check = checkOf('TagsBody');
    expect(check({ node: 'n', group: 'g', tags: [tag, { ...tag, name: undefined }] })).to.equal(
      'The field tags[1].name is missing.',
    );
    expect(check({ node: 'n', group: 'g', tags: [{ ...tag, type: '3' }] })).to.equal(
      'The field tags[0].type must be an integer.',
    );
    expect(check({ node: 'n', group: 'g', tags: [{ ...tag, name: '' }] })).to.equal(
      'The field tags[0].name must not be empty.',
    );
    expect(check([])).to.equal('The value must be an object.');
    expect(check(undefined)).to.equal('The value must be an object.');
  });

  it('take no more than 65535 tags', () => {
    const check = checkOf('DeleteTagsBody');
    const names = Array.from({ length: 65_536 }, (_, index) => `t${index}`);
    expect(check({ node: 'n', group: 'g', tags: names })).to.equal(
      'The field tags must have 65535 or fewer entries.',
    );
    names.pop();
    expect(check({ node: 'n', group: 'g', tags: names })).to.equal(undefined);
  });

  it('take a written value of every JSON type but null and object, 64-bit integers as bigint', () => {
    const check = checkOf('WriteBody');
    const body = { node: 'n', group: 'g', tag: 't' };
    for (const value of [1, 1.5, 2n ** 63n, 'x', true, [1, 2]]) {
      expect(check({ ...body, value }), String(value)).to.equal(undefined);
    }
    for (const value of [null, {}, undefined])
      expect(check({ ...body, value }), typeof value).to.be.a('string');
  });

  it('want something to change in an update of a group', () => {
    const check = checkOf('UpdateGroupBody');
    expect(check({ node: 'n', group: 'g' })).to.equal(
      'One of the fields new_name, interval, history, report, min_interval and max_interval must be given.',
    );
    expect(check({ node: 'n', group: 'g', interval: 100 })).to.equal(undefined);
    expect(check({ node: 'n', group: 'g', new_name: 'h' })).to.equal(undefined);
    expect(check({ node: 'n', group: 'g', new_name: '', interval: 100 })).to.be.a('string');
  });

  it('accept the group name of a new group under both keys', () => {
    const check = checkOf('AddGroupBody');
    expect(check({ node: 'n', name: 'g', interval: 100 })).to.equal(undefined);
    expect(check({ node: 'n', group: 'g', interval: 100 })).to.equal(undefined);
    expect(check({ node: 'n', interval: 100 })).to.be.a('string');
  });

  it('know node types and commands', () => {
    expect(checkOf('NodesQuery')({ type: '3' })).to.equal('The field type must be one of "1", "2".');
    expect(checkOf('NodesQuery')({ type: ['1', '2'] })).to.be.a('string');
    expect(checkOf('ControlBody')({ node: 'n', cmd: 2 })).to.equal('The field cmd must be one of 0, 1.');
  });

  it('follow references between files', () => {
    const check = checkOf('SubscribeBody');
    expect(check({ app: 'a', driver: 'd', group: 'g', params: [] })).to.equal(
      'The field params must be an object.',
    );
    expect(check({ app: 'a', driver: 'd', group: 'g', params: { topic: 't' } })).to.equal(undefined);
  });

  it('describe the flat state of one node beside the list', () => {
    const state = { node: 'n', running: 3, link: 2, rtt: 1, log_level: 'notice' };
    const check = checkOf('StateReply');
    expect(check({ ...state, states: [state], service_core: 'notice' })).to.equal(undefined);
    expect(check({ states: [state], service_core: 'notice' })).to.be.a('string');
  });
});
