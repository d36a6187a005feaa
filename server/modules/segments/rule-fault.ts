/** The fault of one rule: `pointer` leads on from the rule. Readers of rules throw it, `readRules` gathers them. */
export class RuleFault extends Error {
  override readonly name = 'RuleFault'
  readonly pointer: string
  readonly detail: string

  constructor(pointer: string, detail: string) {
    super(`${pointer} ${detail}`)
    this.pointer = pointer
    this.detail = detail
  }
}
