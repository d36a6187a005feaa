/** Something that was asked and not done; the code is a problem's of the API. */
export type ToolRefusal = { code: string; detail: string; missingScopes?: string[]; errors?: unknown }

/** Ends a tool with an answer that says why it did nothing more. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly refusal: ToolRefusal

  constructor(refusal: ToolRefusal) {
    super(refusal.detail)
    this.refusal = refusal
  }
}

export function refuse(code: string, detail: string): Refused {
  return new Refused({ code, detail })
}
