import { Validator, type OutputUnit, type Schema } from '@cfworker/json-schema';
import {
  createErrorHandler,
  toErrorSchema,
  toErrorList,
  unwrapErrorHandler,
  validationDataMerge,
  type CustomValidator,
  type ErrorTransformer,
  type RJSFSchema,
  type RJSFValidationError,
  type UiSchema,
  type ValidationData,
  type ValidatorType,
} from '@rjsf/utils';

type Data = Record<string, unknown> | undefined;

/**
 * Validates forms by interpreting their schema. The usual validator compiles the schema to code, which the page's
 * Content-Security-Policy forbids. The gateway validates again before it saves.
 */
class InterpretingValidator implements ValidatorType<Data> {
  readonly #known = new WeakMap<object, Validator>();

  isValid(schema: RJSFSchema, data: Data): boolean {
    try {
      return this.#of(schema).validate(withoutUndefined(data)).valid;
    } catch {
      return false;
    }
  }

  rawValidation<Result = OutputUnit>(
    schema: RJSFSchema,
    data?: Data,
  ): { errors?: Result[]; validationError?: Error } {
    try {
      const { errors } = this.#of(schema).validate(withoutUndefined(data));
      return { errors: errors as Result[] };
    } catch (error) {
      return { validationError: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  validateFormData(
    data: Data,
    schema: RJSFSchema,
    customValidate?: CustomValidator<Data>,
    transformErrors?: ErrorTransformer<Data>,
    uiSchema?: UiSchema<Data>,
  ): ValidationData<Data> {
    const { errors: units = [] } = this.rawValidation(schema, data);
    const found = units.flatMap(asError);
    const errors = transformErrors?.(found, uiSchema) ?? found;
    const result = { errors, errorSchema: toErrorSchema<Data>(errors) };
    if (customValidate === undefined) return result;
    const handler = customValidate(data, createErrorHandler<Data>(data), uiSchema, result.errorSchema);
    const errorSchema = unwrapErrorHandler<Data>(handler);
    return validationDataMerge<Data>(
      { ...result, errors: [...errors, ...toErrorList(errorSchema)] },
      errorSchema,
    );
  }

  #of(schema: RJSFSchema): Validator {
    let validator = this.#known.get(schema);
    if (validator === undefined)
      this.#known.set(schema, (validator = new Validator(schema as Schema, '2020-12', false)));
    return validator;
  }
}

/** Removes members that are undefined, as JSON does. */
function withoutUndefined(data: unknown): unknown {
  return data === undefined ? {} : (JSON.parse(JSON.stringify(data)) as unknown);
}

/** Keywords whose errors only say that something below them is wrong. */
const wrapperKeywords = new Set(['properties', 'allOf', 'anyOf', 'if', 'then', 'else', 'items', '$ref']);

function asError({ keyword, instanceLocation, error }: OutputUnit): RJSFValidationError[] {
  if (wrapperKeywords.has(keyword)) return [];
  const path = instanceLocation.slice(1).split('/').filter(Boolean);
  const missing = keyword === 'required' ? (/"([^"]+)"\.?$/.exec(error)?.[1] ?? '') : '';
  const property = `.${[...path, ...(missing === '' ? [] : [missing])].join('.')}`;
  return [{ name: keyword, property, message: error, stack: `${property} ${error}`, params: {} }];
}

export const validator: ValidatorType<Data> = new InterpretingValidator();
