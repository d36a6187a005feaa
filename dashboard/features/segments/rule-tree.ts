import { parseJson } from '../../lib/parse-json.ts'

/**
 * A segment's definition as a tree: the JSON of react-querybuilder. Keys that are not ours stay where they are, so that a
 * definition made elsewhere is not changed by being opened.
 */
export type RuleNode = { field: string; operator: string; value: unknown; [more: string]: unknown }
export type GroupNode = { combinator: 'and' | 'or'; not?: boolean; rules: TreeNode[]; [more: string]: unknown }
export type TreeNode = RuleNode | GroupNode
/** Positions from the root: `[0, 2]` is the third of the first. */
export type Path = readonly number[]

export const EMPTY: GroupNode = { combinator: 'and', rules: [] }

export function isGroup(node: TreeNode): node is GroupNode {
  return Array.isArray((node as GroupNode).rules)
}

/** The tree of a definition; undefined for one that this editor cannot show, which is then edited as text. */
export function parseTree(definition: string): GroupNode | undefined {
  if (definition.trim() === '') return EMPTY
  try {
    const tree: unknown = parseJson(definition)
    return isTree(tree) && isGroup(tree) ? tree : undefined
  } catch {
    return undefined
  }
}

function isTree(node: unknown): node is TreeNode {
  if (typeof node !== 'object' || node === null) return false
  const { rules, combinator = 'and', field, operator } = node as Record<string, unknown>
  if (Array.isArray(rules)) return (combinator === 'and' || combinator === 'or') && rules.every(isTree)
  return rules === undefined && typeof field === 'string' && typeof operator === 'string'
}

export function textOf(tree: GroupNode): string {
  return JSON.stringify(tree)
}

/** The tree with what stands at the path replaced; nothing beside it changes. */
export function replaceAt(tree: GroupNode, path: Path, change: (node: TreeNode) => TreeNode): GroupNode {
  const [first, ...rest] = path
  if (first === undefined) return change(tree) as GroupNode
  return {
    ...tree,
    rules: tree.rules.map((node, index) => {
      if (index !== first) return node
      if (rest.length === 0) return change(node)
      return isGroup(node) ? replaceAt(node, rest, change) : node
    }),
  }
}

/** The tree with a node more at the end of the group at the path. */
export function addTo(tree: GroupNode, path: Path, node: TreeNode): GroupNode {
  return replaceAt(tree, path, (group) => (isGroup(group) ? { ...group, rules: [...group.rules, node] } : group))
}

export function removeAt(tree: GroupNode, path: Path): GroupNode {
  const [last] = path.slice(-1)
  if (last === undefined) return EMPTY
  return replaceAt(tree, path.slice(0, -1), (group) =>
    isGroup(group) ? { ...group, rules: group.rules.filter((_, index) => index !== last) } : group,
  )
}

/**
 * The value of a rule as it is typed. A list has commas between its items, with a backslash before those within one, as the server reads it;
 * the blank behind an item's last backslash keeps that from the comma that follows.
 */
export function valueText(value: unknown): string {
  if (!Array.isArray(value)) return itemText(value)
  return value.map((item) => itemText(item).replaceAll(',', '\\,').replace(/\\$/, '\\ ')).join(',')
}

const itemText = (item: unknown) => (item === null || item === undefined ? '' : String(item))

/** Operators that say it all without a value. */
const BARE: ReadonlySet<string> = new Set(['null', 'notNull'])

export function isBare(operator: string): boolean {
  return BARE.has(operator)
}

/** Whether every rule has the value that it needs: half a rule is not asked about. */
export function isFinished(tree: GroupNode): boolean {
  return tree.rules.every((node) =>
    isGroup(node) ? isFinished(node) : !isNameless(node) && (isBare(node.operator) || !isBlank(node.value)),
  )
}

/** An event whose name is still to be typed. */
const isNameless = ({ field }: RuleNode) => field === 'event:'

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}

/** Where a fault of the server points: `/definition/rules/0/rules/2/value` is `[0, 2]`. */
export function pathOf(pointer: string): Path {
  return [...pointer.matchAll(/\/rules\/(\d+)/g)].map(([, index]) => Number(index))
}

export function isSamePath(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((index, at) => index === b[at])
}

export function ruleCount(tree: GroupNode): number {
  return tree.rules.reduce((sum, node) => sum + (isGroup(node) ? ruleCount(node) : 1), 0)
}
