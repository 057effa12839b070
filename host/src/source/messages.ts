import type { GitSource } from '../config/source-option.ts';
import type { FolderContent } from '../folder/read-folder.ts';
import type { Picture } from '../http/transfer/picture.ts';

/** What the process that reads sources is asked: to look at one. */
export interface Question {
  readonly place: { readonly folder: string } | { readonly git: GitSource };
  /** Where files of commits are kept, and where the keys are that sign commits. */
  readonly kept: string;
  readonly trusted: string;
  /** The file of variables; `isOptional`: none is needed where there is no such file. */
  readonly vars: { readonly name: string; readonly isOptional: boolean };
  /** The stamp of what is known already, which is then not read again. */
  readonly known: string | undefined;
  /** The commit that is applied, and when it was made. */
  readonly applied: { readonly commit: string; readonly committed: number } | undefined;
}

/** What a source has. */
export interface Looked {
  /** Changes with what is there. */
  readonly stamp: string;
  /** Absent where the stamp is the one that is known. */
  readonly found?: Found;
}

export interface Found {
  /** The id of a commit, or the hash of the files of a folder. */
  readonly commit: string;
  readonly committed?: number;
  readonly author?: string;
  readonly subject?: string;
  /** The folder with the files. */
  readonly folder: string;
  readonly content: Pick<FolderContent, 'body' | 'files' | 'problems'>;
}

/** How the files of a source would have to be so that they say what a gateway is. */
export interface PatchQuestion extends Picture {
  /** The folder with the files that are applied, and its path in a repository. */
  readonly folder: string;
  readonly path: string;
  /** What is applied. Others may have changed files of a folder since: `isOthers`. */
  readonly commit: string;
  readonly isOthers: boolean;
  readonly secrets: string | undefined;
  readonly vars: Question['vars'];
}

export type Asked = { readonly look: Question } | { readonly patch: PatchQuestion };

/** `commit`: of which something is wrong. `isSoon`: it may be right in a moment. */
export type Answer<T> =
  | { readonly done: T }
  | { readonly problem: string; readonly commit?: string | undefined; readonly isSoon?: boolean };
