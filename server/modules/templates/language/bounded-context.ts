import { Context, Drop, type Emitter, type Liquid } from 'liquidjs'
import { FixedText, type MailText, type Piece, wholeText } from '../../../platform/mail/mail-text.ts'
import { OUTPUT_CHARS_MAX } from '../template-limits.ts'
import { BudgetError, type RenderBudget } from './render-budget.ts'
import { SafeHtml } from './safe-html.ts'
import { textOf } from './text-of.ts'

/** Things that our own tags need beside the variables while one field of one message is rendered. */
export type LinkRewriter = (url: string, index: number) => string
export type RenderExtras = {
  /** Of the whole message: its fields share it. */
  budget: RenderBudget
  rewriteLink: LinkRewriter | null
  pixelUrl: string | null
  untracked: readonly string[]
}

type Limiter = Context['renderLimit']

const LOOP_FACTS: ReadonlySet<string> = new Set(
  'col col0 col_first col_last first index index0 last length name rindex rindex0 row'.split(' '),
)
const SPAWN_STEPS = 5
/** The variables of one rendering and its budget. */
export class BoundedContext extends Context {
  readonly budget: RenderBudget
  readonly extras: RenderExtras
  /** Scopes that loops have put over the variables and not taken away again, the innermost last. */
  readonly #loops: object[] = []

  constructor(engine: Liquid, variables: object, extras: RenderExtras) {
    const { budget } = extras
    super(variables, engine.options, { sync: true }, limiters(budget, engine))
    this.budget = budget
    this.extras = extras
  }

  /** The value at the end of a path that begins with a variable's name. */
  lookUp(path: readonly (string | number)[]): unknown {
    let value: unknown = this.#scopeOf(String(path[0]))
    for (const key of path) value = this.readProperty(value as never, key)
    return value
  }

  #scopeOf(name: string): object {
    const loop = this.#loops.findLast((scope) => name in scope)
    if (loop !== undefined) return loop
    return [this.bottom(), this.environments].find((scope) => name in scope) ?? this.globals
  }

  override push(scope: object): number {
    this.#loops.push(scope)
    return super.push(scope)
  }

  override pop(): ReturnType<Context['pop']> {
    this.#loops.pop()
    return super.pop()
  }

  /** Of the library's own objects only what a loop tells of itself can be read; captured HTML is the text it is. */
  override readProperty(...[from, key]: Parameters<Context['readProperty']>) {
    this.budget.takeSteps(1)
    if (from instanceof SafeHtml) return super.readProperty(from.html as never, key)
    if (from instanceof Drop && !LOOP_FACTS.has(String(key))) return undefined
    return super.readProperty(from, key)
  }

  /** `where` and its like look into each item in a context of its own, which costs as much as some nodes do. */
  override spawn(scope: object = {}): Context {
    this.budget.takeSteps(SPAWN_STEPS)
    const inner = super.spawn(scope)
    return Object.assign(inner, { budget: this.budget })
  }
}

/** The library asks its limiters before every node and for every value it makes. */
function limiters(budget: RenderBudget, liquid: Liquid) {
  const renderLimit = { check: () => budget.takeSteps(1), use: () => undefined } as unknown as Limiter
  const memoryLimit = { check: () => undefined, use: (count: number) => take(budget, count) } as unknown as Limiter
  return { renderLimit, memoryLimit, liquid }
}

function take(budget: RenderBudget, count: number): void {
  if (count > 0) budget.takeChars(Math.ceil(count))
}

/** Gathers what is written, and pays for it. Fixed texts stay as they are, what stands between them is one piece. */
export class BoundedEmitter implements Emitter {
  /** Asked for by the library after each block, and used by nobody. */
  readonly buffer = ''
  readonly #budget: RenderBudget
  readonly #pieces: Piece[] = []
  #latest = ''
  #chars = 0

  constructor(budget: RenderBudget) {
    this.#budget = budget
  }

  write(value: unknown): void {
    if (value instanceof FixedText) {
      this.#take(value.text.length)
      this.#endPiece()
      this.#pieces.push(value)
    } else {
      const text = textOf(value)
      this.#take(text.length)
      this.#latest += text
    }
  }

  get written(): MailText {
    if (this.#pieces.length === 0) return this.#latest
    this.#endPiece()
    return this.#pieces
  }

  get text(): string {
    return wholeText(this.written)
  }

  #endPiece(): void {
    if (this.#latest !== '') this.#pieces.push(this.#latest)
    this.#latest = ''
  }

  #take(chars: number): void {
    this.#budget.takeChars(chars)
    this.#chars += chars
    if (this.#chars > OUTPUT_CHARS_MAX) {
      throw new BudgetError(`renders to more than ${OUTPUT_CHARS_MAX} characters`)
    }
  }
}
