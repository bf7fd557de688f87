// What applies to the whole flow: its name, who may enter it, and who leaves it at once.
import { Button, Group, Modal, NativeSelect, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import type { Flow } from "@tentpole/client"
import { useMutationOf } from "../api/mutations.ts"
import { fieldErrors } from "../api/problems.ts"
import { CurlButton } from "../parts/Copy.tsx"
import { useIsPhone } from "../parts/phone.ts"
import { Problem } from "../parts/Problem.tsx"
import { useWords } from "../words/Words.tsx"
import { can } from "./flow.ts"
import { Condition } from "./editors/Condition.tsx"

const name_max = 200
const description_max = 1_000

type Values = Pick<Flow, "name" | "reentry_policy" | "manual_membership_enabled" | "disqualification_rules"> & {
  readonly description: string
}

/** What differs from the flow. An active flow refuses what it protects, even if it is the same. */
const changesIn = (flow: Flow, values: Values) => {
  const next = { ...values, description: values.description.trim() === "" ? null : values.description.trim() }
  return Object.fromEntries(
    Object.entries(next).filter(
      ([key, value]) => JSON.stringify(flow[key as keyof typeof next]) !== JSON.stringify(value),
    ),
  )
}

interface Props {
  readonly flow: Flow
  readonly onClose: () => void
}

export const FlowSettings = ({ flow, onClose }: Props) => {
  const words = useWords("flows")
  const shell = useWords("shell")
  const isPhone = useIsPhone()
  const initialValues: Values = {
    name: flow.name,
    description: flow.description ?? "",
    reentry_policy: flow.reentry_policy,
    manual_membership_enabled: flow.manual_membership_enabled,
    disqualification_rules: flow.disqualification_rules,
  }
  const form = useForm<Values>({ initialValues })
  const update = useMutationOf("flows", "update", { done: () => words.saved, onDone: onClose })
  const { errors, rest } = fieldErrors(update.error, ["name", "description", "disqualification_rules"], (path) =>
    path.startsWith("disqualification_rules") ? "disqualification_rules" : path,
  )
  const request = { params: { flowId: flow.flow_id }, payload: changesIn(flow, form.values) }
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.settings}
      fullScreen={isPhone}
      size="lg"
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <form onSubmit={form.onSubmit(() => update.mutate(request))}>
        <Stack>
          <TextInput
            label={words.name}
            required
            maxLength={name_max}
            data-autofocus
            {...form.getInputProps("name")}
            error={errors["name"]}
          />
          <Textarea
            label={words.description}
            autosize
            minRows={2}
            maxLength={description_max}
            {...form.getInputProps("description")}
            error={errors["description"]}
          />
          <NativeSelect
            label={words.reentryLabel}
            disabled={!can("edit", flow)}
            data={[
              { value: "allow", label: words.reentry.allow },
              { value: "no_reentry", label: words.reentry.no_reentry },
            ]}
            {...form.getInputProps("reentry_policy")}
          />
          <Switch
            label={words.manualLabel}
            description={words.manualText}
            {...form.getInputProps("manual_membership_enabled", { type: "checkbox" })}
          />
          <Condition
            label={words.rulesOutLabel}
            isReadOnly={flow.status === "archived"}
            value={form.values.disqualification_rules}
            error={errors["disqualification_rules"]}
            height_px={160}
            onChange={(rules) =>
              form.setFieldValue("disqualification_rules", rules as Values["disqualification_rules"])
            }
          />
          <Text size="xs" c="dimmed">
            {words.rulesOutText}
          </Text>
          {update.isError && Object.keys(errors).length === 0 && <Problem error={update.error} issues={rest} />}
          <Group justify="space-between">
            <CurlButton call={["flows", "update", request]} />
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                {shell.cancel}
              </Button>
              <Button
                type="submit"
                loading={update.isPending}
                disabled={form.values.name.trim() === "" || Object.keys(request.payload).length === 0}
              >
                {shell.save}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
