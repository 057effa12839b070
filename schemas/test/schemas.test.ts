import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

describe('the JSON Schema files', () => {
  for (const folder of ['api', 'plugin']) {
    for (const file of readdirSync(join(root, folder))) {
      it(`${folder}/${file} is a JSON Schema of draft 2020-12`, () => {
        const schema = JSON.parse(readFileSync(join(root, folder, file), 'utf8')) as object;
        const ajv = new Ajv2020();
        expect(ajv.validateSchema(schema), ajv.errorsText()).to.equal(true);
      });
    }
  }
});
