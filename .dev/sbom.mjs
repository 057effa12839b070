// What is in the archive, as CycloneDX 1.6: the library of that project writes it and checks it.
import { Contrib, Enums, Models, Serialize, Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { PackageURL } from 'packageurl-js';
import spdxExpression from 'spdx-expression-parse';
import { Failure } from './workspace.mjs';

const licences = new Contrib.License.Factories.LicenseFactory(spdxExpression);

function componentOf({ name, version, licence, parts = [] }, type = Enums.ComponentType.Library) {
  const [group, short] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const purl = new PackageURL('npm', group, short, version, undefined, undefined).toString();
  const component = new Models.Component(type, short, { group, version, purl, bomRef: purl });
  component.licenses.add(licences.makeFromString(licence));
  for (const part of parts) component.properties.add(new Models.Property('tagway:part', part));
  return component;
}

/** The bill of materials as JSON. Everything is a dependency of the gateway itself: all of it comes in one archive. */
export async function sbomOf({ name, version, license }, packages) {
  const bom = new Models.Bom({ version: 1 });
  const root = componentOf({ name, version, licence: license }, Enums.ComponentType.Application);
  bom.metadata.component = root;
  for (const one of packages) {
    const component = componentOf(one);
    bom.components.add(component);
    root.dependencies.add(component.bomRef);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  const text = serializer.serialize(bom, { sortLists: true, space: 2 });
  const problem = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
  if (problem !== null) throw new Failure(`The bill of materials is not valid: ${JSON.stringify(problem)}`);
  return `${text}\n`;
}
