import {
  CaptureTag,
  CaseTag,
  type Context,
  CycleTag,
  type Emitter,
  evalToken,
  ForTag,
  IfTag,
  type Liquid,
  TablerowTag,
  tags,
  UnlessTag,
  type Value,
} from 'liquidjs'
import { type BoundedContext, BoundedEmitter } from './bounded-context.ts'
import { SafeHtml } from './safe-html.ts'

export type TagClass = Parameters<Liquid['registerTag']>[1]

/** The tags a template may use as the library has them. Tags that read other templates or files are not among them. */
const AS_THEY_ARE = ['#', 'assign', 'break', 'comment', 'continue', 'decrement', 'echo', 'increment', 'raw']

/** Every tag a template may open. */
export const OPENING_TAGS: ReadonlySet<string> = new Set([
  ...AS_THEY_ARE,
  'capture',
  'case',
  'cycle',
  'for',
  'if',
  'tablerow',
  'unless',
])

/** Those that hold others, until an `end` of their own. */
export const BLOCK_TAGS: ReadonlySet<string> = new Set([
  'capture',
  'case',
  'comment',
  'for',
  'if',
  'raw',
  'tablerow',
  'unless',
])

type Rendering = Generator<unknown, void, unknown>
type Branched = { branches: readonly { values?: readonly unknown[] }[] }

/** Looking through branches or candidates is paid for, one step each; the library only counts the tag. */
function branchCost(tag: unknown): number {
  return (tag as Branched).branches.reduce((sum, { values }) => sum + (values?.length ?? 1), 0)
}

const budgetOf = (context: Context) => (context as BoundedContext).budget

class ChargedIf extends IfTag {
  override *render(context: Context, emitter: Emitter): Rendering {
    budgetOf(context).takeSteps(branchCost(this))
    yield super.render(context, emitter)
  }
}

class ChargedUnless extends UnlessTag {
  override *render(context: Context, emitter: Emitter): Rendering {
    budgetOf(context).takeSteps(branchCost(this))
    yield super.render(context, emitter)
  }
}

class ChargedCase extends CaseTag {
  override *render(context: Context, emitter: Emitter): Rendering {
    const budget = budgetOf(context)
    const comparisons = branchCost(this)
    budget.takeSteps(comparisons)
    const compared: unknown = yield (this as unknown as { value: Value }).value.value(context)
    for (let n = 0; n < comparisons; n += 1) budget.takeValue(compared)
    yield super.render(context, emitter)
  }
}

class ChargedCycle extends CycleTag {
  override *render(context: Context, emitter: Emitter): Generator<unknown, unknown, unknown> {
    budgetOf(context).takeSteps((this as unknown as { candidates: readonly unknown[] }).candidates.length)
    return yield super.render(context, emitter)
  }
}

type Looping = { collection: Parameters<typeof evalToken>[0] }

/** A list is copied for its loop, also if only the first of it is wanted. */
function* takeList(loop: unknown, context: Context): Rendering {
  const list: unknown = yield evalToken((loop as Looping).collection, context)
  const isList = typeof list === 'object' && list !== null
  if (isList) budgetOf(context).takeChars(Array.isArray(list) ? list.length : Object.keys(list).length)
}

class ChargedFor extends ForTag {
  override *render(context: Context, emitter: Emitter): Rendering {
    yield takeList(this, context)
    yield super.render(context, emitter)
  }
}

class ChargedTablerow extends TablerowTag {
  override *render(context: Context, emitter: Emitter): Rendering {
    yield takeList(this, context)
    yield super.render(context, emitter)
  }
}

type Capturing = { templates: Parameters<CaptureTag['liquid']['renderer']['renderTemplates']>[0]; variable: string }

/** Bounded as all output is; what was captured in HTML was escaped there and then. */
class BoundedCapture extends CaptureTag {
  override *render(context: Context): Rendering {
    const { templates, variable } = this as unknown as Capturing
    const emitter = new BoundedEmitter(budgetOf(context))
    yield this.liquid.renderer.renderTemplates(templates, context, emitter)
    const captured = this.liquid.options.outputEscape ? new SafeHtml(emitter.text) : emitter.text
    context.bottom()[variable] = captured
  }
}

export function liquidTags(): [name: string, tag: TagClass][] {
  const all = tags as unknown as Record<string, TagClass>
  return [
    ...AS_THEY_ARE.map((name): [string, TagClass] => [name, all[name]!]),
    ['capture', BoundedCapture as unknown as TagClass],
    ['case', ChargedCase as unknown as TagClass],
    ['cycle', ChargedCycle as unknown as TagClass],
    ['for', ChargedFor as unknown as TagClass],
    ['if', ChargedIf as unknown as TagClass],
    ['tablerow', ChargedTablerow as unknown as TagClass],
    ['unless', ChargedUnless as unknown as TagClass],
  ]
}
