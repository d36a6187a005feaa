import { useMemo, useState } from 'react'
import { lazyPart } from '../../../lib/load-part.ts'
import { useCan } from '../../../lib/permissions.ts'
import { Button, IconButton } from '../../../ui/controls.tsx'
import {
  ArrowDownIcon,
  ArrowUpIcon,
  CopyIcon,
  FilterIcon,
  PlusIcon,
  TemplateIcon,
  TrashIcon,
} from '../../../ui/icons.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { LOOKS } from './block-fields.ts'
import { mayHold, NEW_BLOCKS, type NewBlock, within } from './block-kinds.ts'
import { type BlockActs, BlockList } from './block-list.tsx'
import { BlockPanel } from './block-panel.tsx'
import { rowsOf } from './block-rows.ts'
import classes from './blocks.module.css'
import { ConditionPanel } from './condition-panel.tsx'
import {
  addCondition,
  duplicateBlock,
  type Edit,
  insertBlock,
  likeOthers,
  moveBlock,
  type Place,
  removeBlock,
  setAttribute,
  stepBlock,
} from './edit-mail.ts'
import { type Brand, brandLook } from './mail-looks.ts'
import { type Block, isBlock, type Mail } from './read-mail.ts'
import { nameOfBlock, textOfBlock } from './saved-block.ts'
import { useBrand } from './use-brand.ts'

const SaveBlock = lazyPart(() => import('./save-block.tsx'))
const SavedBlocks = lazyPart(() => import('./saved-blocks.tsx'))

type Props = {
  mail: Mail
  chosen: number | null
  variables: readonly string[]
  onEdit: (edit: Edit) => void
  /** Other words in the chosen block. */
  onWords: (content: string) => void
  onChoose: (begin: number) => void
}

/** A mail as its blocks: the list, what can be done with the chosen one, and how that looks. */
export function MailBlocks({ mail, chosen, variables, onEdit, onWords, onChoose }: Props) {
  const can = useCan()
  const brand = useBrand()
  const [open, setOpen] = useState<'saved' | 'save'>()
  const rows = useMemo(() => rowsOf(mail), [mail])
  const node = rows.find((row) => row.node.begin === chosen)?.node
  const block = node && isBlock(node) ? node : undefined
  const take = (edit: Edit | undefined) => edit && onEdit(edit)
  const acts: BlockActs = {
    choose: onChoose,
    move: (one: Block, place) => take(moveBlock(mail, one, place)),
    step: (one, by) => take(stepBlock(mail, one, by)),
    duplicate: (one) => take(duplicateBlock(mail, one)),
    remove: (one) => take(removeBlock(mail, one)),
  }
  const up = block && stepBlock(mail, block, 'up')
  const down = block && stepBlock(mail, block, 'down')
  return (
    <div className={classes.blocks}>
      <div className={classes.bar}>
        <Menu
          target={
            <Button small icon={PlusIcon}>
              Add a block
            </Button>
          }
          entries={[
            ...(can('templates:read') ? [{ label: 'Saved blocks…', onSelect: () => setOpen('saved') }] : []),
            ...NEW_BLOCKS.map((kind) => ({
              label: kind.label,
              onSelect: () => take(added(mail, kind, block, brand)),
            })),
          ]}
        />
        {block && (
          <fieldset className={classes.acts}>
            <legend className="visually-hidden">The chosen block</legend>
            <IconButton label="Move up" icon={ArrowUpIcon} disabled={up === undefined} onClick={() => take(up)} />
            <IconButton
              label="Move down"
              icon={ArrowDownIcon}
              disabled={down === undefined}
              onClick={() => take(down)}
            />
            <IconButton label="Duplicate" icon={CopyIcon} onClick={() => acts.duplicate(block)} />
            {block.parent?.name !== 'mj-carousel' && (
              <IconButton
                label="Only for some"
                icon={FilterIcon}
                onClick={() => take(addCondition(mail, block, 'first_name != ""'))}
              />
            )}
            {can('templates:write') && isSavable(block) && (
              <IconButton label="Save this block" icon={TemplateIcon} onClick={() => setOpen('save')} />
            )}
            <IconButton label="Delete" icon={TrashIcon} onClick={() => acts.remove(block)} />
          </fieldset>
        )}
      </div>
      <div className={classes.columns}>
        <BlockList mail={mail} rows={rows} chosen={chosen} acts={acts} />
        {block ? (
          <BlockPanel key={`${block.name} ${block.begin}`} {...{ mail, block, variables, onEdit, onWords }} />
        ) : node && !isBlock(node) ? (
          <ConditionPanel key={node.begin} mail={mail} node={node} onEdit={onEdit} />
        ) : (
          <p className={classes.hint}>Choose a block here or in the preview, and change it.</p>
        )}
      </div>
      {open === 'saved' && (
        <SavedBlocks
          onClose={() => setOpen(undefined)}
          onInsert={(name, text) => {
            setOpen(undefined)
            take(added(mail, { label: '', name, text: () => text }, block))
          }}
        />
      )}
      {open === 'save' && block && (
        <SaveBlock
          body={textOfBlock(mail, block)}
          suggested={nameOfBlock(mail, block)}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  )
}

/** Whether it may stand somewhere by itself; a link of a row of links does not. */
const isSavable = ({ name }: Block) => ['mj-body', 'mj-section', 'mj-column'].some((parent) => mayHold(parent, name))

/** A block behind the chosen one or within it, wherever the first may stand; else at the end of the mail. */
function added(mail: Mail, kind: NewBlock, chosen: Block | undefined, brand?: Brand): Edit {
  const text = kind.text(
    (name) => likeOthers(mail, name, LOOKS) ?? (brand === undefined ? '' : brandLook(name, brand, mail.source)),
  )
  for (let block = chosen; block !== undefined && block !== mail.body; block = block.parent) {
    const place = placeIn(block, kind.name)
    if (place) return insertBlock(mail, place, text)
  }
  const last = mail.body.children.findLast(isBlock)
  const place: Place =
    chosen === undefined || last === undefined ? { endOf: mail.body } : { after: topOf(mail, chosen) }
  const edit = insertBlock(mail, place, within(kind.name, text))
  // The block is chosen, not what holds it.
  const { from, insert } = edit.changes[0]!
  return { ...edit, chosen: from + insert.indexOf(`<${kind.name}`) }
}

/** A picture in the chosen block where that is one, else in a block of its own. */
export function withImage(mail: Mail, chosen: Block | undefined, url: string): Edit {
  if (chosen?.name === 'mj-image') return setAttribute(chosen, 'src', url)
  return added(mail, { label: 'Image', name: 'mj-image', text: () => `<mj-image src="${url}" alt="" />` }, chosen)
}

function placeIn(block: Block, name: string): Place | undefined {
  if (mayHold(block.name, name)) return { endOf: block }
  if (block.parent && mayHold(block.parent.name, name)) return { after: block }
  const only = block.name === 'mj-section' ? block.children.findLast(isBlock) : undefined
  return only && mayHold(only.name, name) ? { endOf: only } : undefined
}

function topOf(mail: Mail, block: Block): Block {
  return block.parent === undefined || block.parent === mail.body ? block : topOf(mail, block.parent)
}
