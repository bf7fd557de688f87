// The filters of the audit log: who, what and when, and for operators where.
import { Button, Group, NativeSelect, SegmentedControl } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { adminQueryOf } from "../../api/queries.ts"
import { useSession } from "../../session.tsx"
import { useWorkspaceParams } from "../../settings/useSettings.ts"
import { useWords } from "../../words/Words.tsx"
import { audit_days, type AuditSearch } from "../search.ts"
import { thingOf } from "./audit.ts"

interface Props {
  readonly asked: AuditSearch
  readonly onChange: (asked: AuditSearch) => void
}

/** The longest action would take the whole line, which it has on a phone. */
const select_width_px = 230

/** Members and keys in the choice. Others are found by their rows. */
const actors_max = 100

/** The members and keys of the workspace, and the callers that have no name. */
const useActors = (chosen: string | undefined) => {
  const words = useWords("operations").audit
  const request = { params: useWorkspaceParams(), query: { limit: actors_max } }
  const { data: people } = useQuery(adminQueryOf("members", "list", request))
  const { data: programs } = useQuery(adminQueryOf("keys", "list", request))
  const members = people?.members.map(({ name, user_id }) => ({ value: `user:${user_id}`, label: name })) ?? []
  const keys =
    programs?.keys.map(({ name, prefix }) => ({ value: `key:${prefix}`, label: `${name} (${prefix}…)` })) ?? []
  const others = Object.entries(words.actors).map(([value, label]) => ({ value, label }))
  const known = [...members, ...keys, ...others]
  const stranger = chosen === undefined || known.some(({ value }) => value === chosen) ? [] : [chosen]
  return [
    { value: "", label: words.anyone },
    ...stranger,
    { group: words.people, items: members },
    ...(keys.length === 0 ? [] : [{ group: words.keys, items: keys }]),
    { group: words.others, items: others },
  ]
}

/** All actions, by what they are about. */
const useActions = () => {
  const words = useWords("operations").audit
  const actions = Object.entries(words.actions)
  return [
    { value: "", label: words.anything },
    ...Object.entries(words.things).map(([thing, group]) => ({
      group,
      items: actions.filter(([action]) => thingOf(action) === thing).map(([value, label]) => ({ value, label })),
    })),
  ]
}

export const AuditFilters = ({ asked, onChange }: Props) => {
  const words = useWords("operations").audit
  const { isOperator } = useSession()
  const { action, actor, all, days } = asked
  const go = (next: { readonly [Key in keyof AuditSearch]: AuditSearch[Key] | undefined }) => {
    const merged = Object.entries({ ...asked, ...next }).filter(([, value]) => value !== undefined && value !== "")
    onChange(Object.fromEntries(merged))
  }
  return (
    <Group mb="sm" gap="xs" role="group" aria-label={words.filters}>
      {isOperator && (
        <SegmentedControl
          size="xs"
          aria-label={words.where}
          value={all === true ? "all" : "own"}
          data={[
            { value: "own", label: words.ofWorkspace },
            { value: "all", label: words.ofInstallation },
          ]}
          onChange={(value) => go({ all: value === "all" ? true : undefined })}
        />
      )}
      <NativeSelect
        maw={{ sm: select_width_px }}
        aria-label={words.who}
        value={actor ?? ""}
        data={useActors(actor)}
        onChange={({ currentTarget }) => go({ actor: currentTarget.value })}
      />
      <NativeSelect
        maw={{ sm: select_width_px }}
        aria-label={words.what}
        value={action ?? ""}
        data={useActions()}
        onChange={({ currentTarget }) => go({ action: currentTarget.value })}
      />
      <NativeSelect
        maw={{ sm: select_width_px }}
        aria-label={words.when}
        value={days === undefined ? "" : String(days)}
        data={[
          { value: "", label: words.anyTime },
          ...audit_days.map((each) => ({ value: String(each), label: words.days(each) })),
        ]}
        onChange={({ currentTarget }) => go({ days: audit_days.find((each) => String(each) === currentTarget.value) })}
      />
      {(actor ?? action ?? days) !== undefined && (
        <Button size="compact-sm" variant="subtle" color="gray" onClick={() => onChange(all === true ? { all } : {})}>
          {words.clear}
        </Button>
      )}
    </Group>
  )
}
