import { Button, IconButton, Select } from '../../ui/controls.tsx'
import { PlusIcon, TrashIcon } from '../../ui/icons.tsx'
import { FieldPicker } from './field-picker.tsx'
import { type FieldEntry, kindOf, newRule, OPERATORS } from './rule-catalogue.ts'
import {
  addTo,
  type GroupNode,
  isBare,
  isGroup,
  isSamePath,
  type Path,
  type RuleNode,
  removeAt,
  replaceAt,
  type TreeNode,
} from './rule-tree.ts'
import { RuleValue } from './rule-value.tsx'
import classes from './segments.module.css'

export type RuleFault = { path: Path; detail: string }
type Shared = {
  tree: GroupNode
  fields: readonly FieldEntry[]
  faults: readonly RuleFault[]
  onChange: (tree: GroupNode) => void
  readOnly: boolean
}

const DEPTH_MAX = 10

/** A group of rules: all of them or any of them, with groups in it. */
export function RuleGroup({ group, path, ...shared }: Shared & { group: GroupNode; path: Path }) {
  const { tree, onChange, readOnly, faults } = shared
  const change = (next: Partial<GroupNode>) => onChange(replaceAt(tree, path, (node) => ({ ...node, ...next })))
  const isRoot = path.length === 0
  const id = path.join('-') || 'root'
  return (
    <fieldset className={classes.group} data-root={isRoot || undefined} disabled={readOnly}>
      <legend className="visually-hidden">
        {isRoot ? 'Rules' : `Group ${path.map((index) => index + 1).join('.')}`}
      </legend>
      <div className={classes.groupHead}>
        <Select
          id={`combinator-${id}`}
          label="How the rules go together"
          hideLabel
          value={`${group.not ? 'not-' : ''}${group.combinator ?? 'and'}`}
          options={[
            { value: 'and', label: 'All of these hold' },
            { value: 'or', label: 'Any of these holds' },
            { value: 'not-and', label: 'Not all of these hold' },
            { value: 'not-or', label: 'None of these holds' },
          ]}
          onChange={(event) => {
            const isNot = event.currentTarget.value.startsWith('not-')
            change({ combinator: event.currentTarget.value.endsWith('and') ? 'and' : 'or', not: isNot })
          }}
        />
        {!isRoot && !readOnly && (
          <IconButton label="Remove this group" icon={TrashIcon} onClick={() => onChange(removeAt(tree, path))} />
        )}
      </div>
      <FaultLine faults={faults} path={path} />
      <ol className={classes.rules}>
        {group.rules.map((node, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule is known by its place
          <li key={index}>
            <Node node={node} path={[...path, index]} {...shared} />
          </li>
        ))}
      </ol>
      {!readOnly && (
        <div className={classes.add}>
          <Button
            small
            kind="quiet"
            icon={PlusIcon}
            onClick={() => onChange(addTo(tree, path, newRule('email', 'text')))}
          >
            Rule
          </Button>
          {path.length < DEPTH_MAX && (
            <Button
              small
              kind="quiet"
              icon={PlusIcon}
              onClick={() => onChange(addTo(tree, path, { combinator: 'or', rules: [newRule('email', 'text')] }))}
            >
              Group
            </Button>
          )}
        </div>
      )}
    </fieldset>
  )
}

function Node({ node, ...rest }: Shared & { node: TreeNode; path: Path }) {
  return isGroup(node) ? <RuleGroup group={node} {...rest} /> : <Rule rule={node} {...rest} />
}

function Rule({ rule, path, tree, fields, faults, onChange, readOnly }: Shared & { rule: RuleNode; path: Path }) {
  const kind = kindOf(rule.field, fields)
  const words = OPERATORS[kind]
  const change = (next: Partial<RuleNode>) =>
    onChange(replaceAt(tree, path, (node) => ({ ...node, ...next }) as TreeNode))
  const place = path.map((index) => index + 1).join('.')
  const operators = Object.entries(words).map(([value, label]) => ({ value, label }))
  if (!(rule.operator in words)) operators.push({ value: rule.operator, label: rule.operator })
  return (
    <div className={classes.rule}>
      <div className={classes.ruleParts}>
        <FieldPicker
          place={place}
          field={rule.field}
          fields={fields}
          onChange={(field) => onChange(replaceAt(tree, path, () => newRule(field, kindOf(field, fields))))}
        />
        <Select
          id={`operator-${place}`}
          label={`How rule ${place} compares`}
          hideLabel
          value={rule.operator}
          options={operators}
          onChange={(event) => change({ operator: event.currentTarget.value })}
        />
        {!isBare(rule.operator) && (
          <RuleValue
            place={place}
            kind={kind}
            rule={rule}
            choices={fields.find((entry) => entry.field === rule.field)?.choices}
            onChange={(value) => change({ value })}
          />
        )}
        {!readOnly && (
          <IconButton label={`Remove rule ${place}`} icon={TrashIcon} onClick={() => onChange(removeAt(tree, path))} />
        )}
      </div>
      <FaultLine faults={faults} path={path} />
    </div>
  )
}

function FaultLine({ faults, path }: { faults: readonly RuleFault[]; path: Path }) {
  const own = faults.filter((fault) => isSamePath(fault.path, path))
  return own.length === 0 ? null : (
    <p className={classes.fault} role="alert">
      {own.map(({ detail }) => `It ${detail}.`).join(' ')}
    </p>
  )
}
