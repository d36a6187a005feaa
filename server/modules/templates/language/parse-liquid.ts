import { type Liquid, Output, Parser, type Template, TokenKind } from 'liquidjs'
import { FixedNode } from './fixed-node.ts'
import { plainOutput } from './plain-output.ts'

type Node = ReturnType<Parser['parseToken']>

/**
 * Parses as the library does, with nodes of ours for texts and plain outputs: the library's are generators, which let
 * outputs wait for promises and take several times as long as what they do. Rendering the newsletter of the benchmark
 * took 237 us with them, of which 200 are saved.
 */
export function parseLiquid(engine: Liquid, source: string): Template[] {
  return new TemplateParser(engine).parse(source)
}

class TemplateParser extends Parser {
  readonly #engine: Liquid

  constructor(engine: Liquid) {
    super(engine)
    this.#engine = engine
  }

  override parseToken(...given: Parameters<Parser['parseToken']>): Node {
    const [token] = given
    if (token.kind === TokenKind.HTML) return new FixedNode(token) as Template as Node
    const node = super.parseToken(...given)
    return node instanceof Output ? ((plainOutput(node, this.#engine) ?? node) as Template as Node) : node
  }
}
