// What applies to the whole flow: its name, who may enter it, and who leaves it at once.
import { Button, Group, Input, NativeSelect, Skeleton, Stack, Switch, Text, TextInput, Textarea } from "@mantine/core"
import { useForm, type UseFormReturnType } from "@mantine/form"
import type { Flow } from "@tentpole/client"
import { lazy, Suspense, useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { fieldErrors } from "../../api/problems.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { isSame } from "../draft/flowDraft.ts"
import { can } from "../flow.ts"
import type { Rules } from "../editors/RulesForm.tsx"

const RulesForm = lazy(async () => ({ default: (await import("../editors/RulesForm.tsx")).RulesForm }))

/** The rules of a flow do not ask about its emails. */
const noSteps: ReadonlyArray<never> = []

const name_max = 200
const description_max = 1_000

type Values = Pick<Flow, "name" | "reentry_policy" | "manual_membership_enabled"> & {
  readonly description: string
}

/** What differs from the flow. An active flow refuses what it protects, even if it is the same. */
const changesIn = (flow: Flow, values: Values, rules: Rules["rules"]) => {
  const next = {
    ...values,
    disqualification_rules: rules,
    description: values.description.trim() === "" ? null : values.description.trim(),
  }
  return Object.fromEntries(
    Object.entries(next).filter(([key, value]) => !isSame(flow[key as keyof typeof next], value)),
  )
}

interface SimpleProps {
  readonly flow: Flow
  readonly form: UseFormReturnType<Values>
  readonly errors: Readonly<Record<string, string>>
}

const Simple = ({ errors, flow, form }: SimpleProps) => {
  const words = useWords("flows")
  return (
    <>
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
    </>
  )
}

interface RulesProps {
  readonly flow: Flow
  readonly error: string | undefined
  readonly onChange: (rules: Rules) => void
}

/** Rules that keep contacts out of the flow. */
const RulesOut = ({ error, flow, onChange }: RulesProps) => {
  const words = useWords("flows")
  return (
    <div role="group" aria-label={words.rulesOutLabel}>
      <Input.Label labelElement="div">{words.rulesOutLabel}</Input.Label>
      <Suspense fallback={<Skeleton h={160} />}>
        <RulesForm
          first={flow.disqualification_rules}
          steps={noSteps}
          isReadOnly={flow.status === "archived"}
          onChange={onChange}
        />
      </Suspense>
      <Text size="xs" mt={6} c={error === undefined ? "dimmed" : "var(--mantine-color-error)"}>
        {error ?? words.rulesOutText}
      </Text>
    </div>
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
  }
  const form = useForm<Values>({ initialValues })
  const [{ isFinished, rules }, setRules] = useState<Rules>({ rules: flow.disqualification_rules, isFinished: true })
  const update = useMutationOf("flows", "update", { done: () => words.saved, onDone: onClose })
  const { errors, rest } = fieldErrors(update.error, ["name", "description", "disqualification_rules"], (path) =>
    path.startsWith("disqualification_rules") ? "disqualification_rules" : path,
  )
  const request = { params: { flowId: flow.flow_id }, payload: changesIn(flow, form.values, rules) }
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
          <Simple flow={flow} form={form} errors={errors} />
          <RulesOut flow={flow} error={errors["disqualification_rules"]} onChange={setRules} />
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
                disabled={!isFinished || form.values.name.trim() === "" || Object.keys(request.payload).length === 0}
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
