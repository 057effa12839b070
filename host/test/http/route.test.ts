import { expect } from 'chai';
import { bare, type Endpoints, routesOf } from '../../src/http/route.ts';

const endpoint = bare({ open: true, summary: 'Does nothing.' }, () => undefined);

describe('the routes of the API', () => {
  it('stand in the order of their parts', () => {
    const routes = routesOf([
      ['One', { 'GET /api/v2/a': endpoint, 'PUT /api/v2/a': endpoint }],
      ['Two', { 'GET /api/v2/b': endpoint }],
    ]);
    expect(routes.map(({ part, method, path }) => `${part}: ${method} ${path}`)).to.deep.equal([
      'One: GET /api/v2/a',
      'One: PUT /api/v2/a',
      'Two: GET /api/v2/b',
    ]);
  });

  it('name no endpoint twice: across parts the gateway does not start', () => {
    const twice = (): unknown =>
      routesOf([
        ['One', { 'POST /api/v2/scan/tags': endpoint }],
        ['Two', { 'POST /api/v2/scan/tags': endpoint }],
      ]);
    expect(twice).to.throw('The endpoint POST /api/v2/scan/tags is there twice.');
  });

  it('name no endpoint twice: within a part the compiler refuses it', () => {
    const endpoints: Endpoints = {
      'GET /api/v2/a': endpoint,
      // @ts-expect-error The name is there already.
      'GET /api/v2/a': endpoint,
    };
    expect(routesOf([['One', endpoints]])).to.have.lengthOf(1);
  });

  it('name the role that they need, or that they are open: the compiler refuses one that forgets', () => {
    // @ts-expect-error It says nothing of who may call it.
    expect(bare({ summary: 'Does nothing.' }, () => undefined)).to.have.property('summary');
    // @ts-expect-error There is no such role.
    expect(bare({ role: 'boss', summary: 'Does nothing.' }, () => undefined)).to.have.property('role');
  });
});
