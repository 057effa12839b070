import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { refusals } from '../src/texts/refusals-zh.ts';

const host = fileURLToPath(new URL('../../src/', import.meta.url));

/** The English texts of all sentences that the gateway makes, by the files that make them. */
function textsOfHost(): Map<string, string> {
  const texts = new Map<string, string>();
  for (const file of readdirSync(host, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const source = ts.createSourceFile(file, readFileSync(`${host}${file}`, 'utf8'), ts.ScriptTarget.Latest);
    const visit = (node: ts.Node): void => {
      if (ts.isTaggedTemplateExpression(node) && ts.isIdentifier(node.tag) && node.tag.text === 'sentence')
        texts.set(textOf(node.template), file);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return texts;
}

function textOf(template: ts.TemplateLiteral): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text;
  return template.templateSpans.reduce(
    (text, { literal }, index) => `${text}{${index}}${literal.text}`,
    template.head.text,
  );
}

const placesIn = (text: string): string[] => [...new Set(text.match(/\{\d+\}/g) ?? [])].sort();

describe('the sentences of the gateway in Chinese', () => {
  const texts = textsOfHost();

  it('are there for each that the gateway makes', () => {
    expect(texts.size).to.be.greaterThan(200);
    const missing = [...texts].filter(([text]) => !Object.hasOwn(refusals, text));
    expect(missing).to.deep.equal([]);
  });

  it('are there for no other', () => {
    expect(Object.keys(refusals).filter((text) => !texts.has(text))).to.deep.equal([]);
  });

  it('have the values of the English ones', () => {
    const differing = Object.entries(refusals).filter(
      ([english, chinese]) => placesIn(english).join() !== placesIn(chinese).join(),
    );
    expect(differing).to.deep.equal([]);
  });
});
