import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { axeFindings, describePage, overhang, sizes, type TabOptions } from '../kit/browser.ts';
import { addBoiler, registerTags } from '../kit/configure.ts';
import { usePage } from './fixture.ts';

describePage('groups and tags', function () {
  const { plant, open, groupsOf, tagsOf, subscriptionsOf } = usePage();
  before(async () => {
    await addBoiler(plant, 'few', [
      {
        name: 'level',
        address: '1!400001',
        attribute: 3,
        type: DataType.INT16,
        decimal: 0.1,
        description: '=1+1',
      },
      {
        name: "'-quoted",
        address: '1!400002',
        attribute: 1,
        type: DataType.FLOAT,
        precision: 2,
        bias: -0.5,
      },
      { name: '名称; "x"', address: '1!400010.20', attribute: 5, type: DataType.STRING },
      { name: 'fixed', address: '', attribute: 8 | Attribute.READ, type: DataType.UINT64, value: 7 },
    ]);
    const tags = registerTags(10_000).map((tag, index) => ({
      ...tag,
      name: `tag ${String(index).padStart(5, '0')}`,
    }));
    await plant.client.ok('POST', '/group', { node: 'boiler', name: 'many', interval: 60_000 });
    await plant.client.ok('POST', '/tags', { node: 'boiler', group: 'many', tags });
  });

  const openGroup = (group: string, options?: TabOptions): Promise<Page> =>
    open(`#/nodes/boiler/groups/${group}`, options);

  it('ten thousand tags open and scroll with a small document', async () => {
    const page = await openGroup('many');
    await page.getByText('tag 00000', { exact: true }).waitFor();
    await page.getByRole('table').hover();
    for (let turn = 0; turn < 20; turn += 1) await page.mouse.wheel(0, 20_000);
    await page.getByText('tag 09999', { exact: true }).waitFor();
    expect(await page.evaluate<number>('document.querySelectorAll("*").length')).to.be.below(1500);
  });

  for (const kind of ['CSV', 'XLSX'] as const) {
    it(`what is exported as ${kind} and imported again changes nothing`, async () => {
      const page = await openGroup('few');
      await page.getByText('level', { exact: true }).waitFor();
      const begun = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: kind }).click();
      const file = await (await begun).path();
      await page.getByRole('button', { name: 'Import' }).click();
      const buffer = await readFile(file);
      await page.locator('input[type=file]').setInputFiles({ name: `tags.${kind}`, mimeType: '', buffer });
      await page.getByText('Adds 0 tags, changes 0, leaves 4 as they are, removes 0.').waitFor();
    });
  }

  it('an import names every bad row, column, value and rule, and sends nothing', async () => {
    const before = await tagsOf('few');
    const bad = [
      [';1!400001;Read;INT16;', '2', 'name', 'It is missing.'],
      ['a;1!9;Read;INT16;', '3', 'address', 'The plugin has no such address for INT16.'],
      [
        'b;1!400001;Look;INT16;',
        '4',
        'attribute',
        'Write Read, Write, Subscribe, Static or a number from 0 to 15.',
      ],
      ['c;1!400001;Read;FLOATY;', '5', 'type', 'This is no data type.'],
      ['d;1!400001;Read;INT16;1,2,3', '6', 'decimal', 'This is no number.'],
      ['e;;Read;INT16;', '7', 'address', 'It is missing.'],
      [`${'x'.repeat(200)};1!400001;Read;INT16;`, '8', 'name', 'It is longer than 127 bytes.'],
      ['good;1!400001;Read;INT16;0,5', '', '', ''],
      ['good;1!400001;Read;INT16;', '10', 'name', 'The name stands in row 9 already.'],
    ] as const;
    const text = `\ufeffname;address;attribute;type;decimal\r\n${bad.map(([line]) => line).join('\r\n')}\r\n`;
    const page = await openGroup('few');
    await page.getByRole('button', { name: 'Import' }).click();
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'tags.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await page.getByText('8 rows are wrong.').waitFor();
    const list = page.getByRole('table', { name: 'Rows that are wrong' });
    for (const [, row, column, rule] of bad.filter(([, row]) => row !== '')) {
      const found = list
        .getByRole('row')
        .filter({ hasText: rule })
        .filter({ has: page.getByText(row, { exact: true }) });
      expect(await found.getByText(column, { exact: true }).count(), `row ${row}`).to.equal(1);
    }
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Import' }).isDisabled()).to.equal(
      true,
    );
    expect(await tagsOf('few')).to.deep.equal(before);
  });

  it('rows pasted from a spreadsheet become tags, with decimal commas', async () => {
    const page = await openGroup('few');
    await page.getByRole('button', { name: 'Import' }).click();
    const rows = 'name\taddress\tattribute\ttype\tdecimal\npasted\t1!400030\tRead Write\tINT16\t0,25\n';
    await page.getByRole('textbox', { name: 'Or paste rows' }).fill(rows);
    await page.getByText('Adds 1 tags').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.getByText('1 tags are added, 0 changed and 0 removed.').waitFor();
    const added = (await tagsOf('few')).find(({ name }) => name === 'pasted');
    expect(added).to.include({ address: '1!400030', attribute: 3, type: DataType.INT16, decimal: 0.25 });
  });

  it('the address is checked while it is typed, and read from the device before it is saved', async () => {
    await plant.device.setRegisters(41, [4242]);
    const page = await openGroup('few');
    await page.getByRole('button', { name: 'Add a tag' }).click();
    const address = page.getByRole('textbox', { name: 'Address' });
    await address.fill('1!4');
    await page.getByText('The plugin has no such address for INT16.').waitFor();
    await address.fill('1!400042');
    await page.getByRole('button', { name: 'Test read' }).click();
    await page.getByText('The device answers 4242.').waitFor();
  });

  it('many tags are changed in one request, and the change is taken back', async () => {
    const page = await openGroup('many');
    await page.getByRole('searchbox').fill('tag 0000');
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await page.getByText('10 of 10 selected').waitFor();
    await page.getByRole('button', { name: 'Change together' }).click();
    await page.getByRole('checkbox', { name: 'Factor' }).check();
    await page.getByRole('textbox', { name: 'Factor' }).fill('0,5');
    await page.getByRole('button', { name: 'Change 10 tags' }).click();
    await page.getByText('10 tags are changed, 0 were so already.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    expect((await tagsOf('many')).filter(({ decimal }) => decimal === 0.5)).to.have.length(10);
    await page.getByRole('button', { name: 'Undo the change of 10 tags' }).click();
    await page.getByText('10 tags are as they were.').waitFor();
    expect((await tagsOf('many')).filter(({ decimal }) => decimal !== 0)).to.have.length(0);
  });

  it('an app subscribes to several groups with a topic', async () => {
    await plant.client.ok('POST', '/node', { name: 'cloud', plugin: 'MQTT' });
    const page = await open('#/nodes/cloud/subscriptions');
    await page.getByText('few', { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
    await page.getByRole('textbox', { name: 'Topic' }).fill('plant/boiler');
    await page.keyboard.press('Enter');
    await page.getByText('2 groups are subscribed to.').waitFor();
    expect(await subscriptionsOf('cloud')).to.deep.equal(
      ['few', 'many'].map((group) => ({ driver: 'boiler', group, params: { topic: 'plant/boiler' } })),
    );
  });

  it('can be used by everybody, on a phone', async () => {
    const page = await openGroup('few', { size: sizes.phone });
    await page.getByText('level', { exact: true }).waitFor();
    expect(await axeFindings(page)).to.deep.equal([]);
    expect(await overhang(page)).to.equal(0);
  });

  it('a tag gets a deadband of its span with a unit, and loses them again', async () => {
    const page = await openGroup('few');
    const level = async () => (await tagsOf('few')).find(({ name }) => name === 'level');
    const edit = (): Promise<void> => page.getByRole('button', { name: 'Change level', exact: true }).click();
    const save = async (values: Readonly<Record<string, string>>): Promise<void> => {
      for (const [label, value] of Object.entries(values))
        await page.getByRole('dialog').getByRole('textbox', { name: label, exact: true }).fill(value);
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    };
    await edit();
    await save({ Deadband: '2%' });
    await page.getByText('A deadband is a number of at least 0, or a percentage').first().waitFor();
    expect(await level()).to.not.have.property('deadband');
    const span = { Deadband: '2%', Unit: 'Cel', Low: '-10', High: '40.5' };
    await save(span);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await level()).to.include({ deadband: '2%', unit: 'Cel', low: -10, high: 40.5 });
    await page.reload();
    await edit();
    for (const [label, value] of Object.entries(span))
      expect(await page.getByRole('textbox', { name: label, exact: true }).inputValue()).to.equal(value);
    await save({ Deadband: '0.5', Low: '', High: '' });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await level())
      .to.include({ deadband: 0.5, unit: 'Cel' })
      .and.not.have.any.keys('low', 'high');
  });

  it('a group gets a pace, and loses it again', async () => {
    const page = await open('#/nodes/boiler/groups');
    const few = async () =>
      (await groupsOf()).find((group) => 'name' in group && group.name === 'few') as Readonly<
        Record<string, unknown>
      >;
    const least = page.getByRole('textbox', { name: 'Between reports at least (ms)' });
    const most = page.getByRole('textbox', { name: 'All tags after at most (ms)' });
    const report = page.getByRole('combobox', { name: 'What apps get of a reading' });
    const edit = (): Promise<void> => page.getByRole('button', { name: 'Change few', exact: true }).click();
    const save = async (): Promise<void> => {
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await edit();
    await report.selectOption('Tags that changed');
    await least.fill('1500');
    await most.fill('60000');
    await save();
    const pace = { report: 'change', min_interval: 1500, max_interval: 60_000 };
    expect(await few()).to.include(pace);
    await page.reload();
    await edit();
    expect([await report.inputValue(), await least.inputValue(), await most.inputValue()]).to.deep.equal([
      'change',
      '1500',
      '60000',
    ]);
    expect(await axeFindings(page)).to.deep.equal([]);
    await report.selectOption('As the tags say');
    await least.fill('0');
    await most.fill('0');
    await save();
    expect(await few()).to.not.have.any.keys(...Object.keys(pace));
  });
});
