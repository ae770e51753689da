{{- /* The pod of the night and of the page. Arguments: root, args, resources, restartPolicy, part; flows is mounted if part is night. */ -}}
{{- define "hntes.labels" -}}
app.kubernetes.io/name: hntes
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "hntes.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- define "hntes.pod" -}}
metadata:
  labels:
    {{- include "hntes.labels" . | nindent 4 }}
  annotations:
    hntes/settings: {{ .root.Values.settings | sha256sum }}
spec:
  restartPolicy: {{ .restartPolicy }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  securityContext:
    runAsNonRoot: true
    runAsUser: {{ .root.Values.userId }}
    runAsGroup: {{ .root.Values.userId }}
    fsGroup: {{ .root.Values.userId }}
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- with .root.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: hntes
      image: {{ include "hntes.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: {{ .args | toJson }}
      workingDir: /var/lib/hntes
      env:
        - name: HNTES_SETTINGS
          value: /etc/hntes/hntes.toml
        - name: HNTES_LOG
          value: info
        - name: TZ
          value: UTC
      {{- with .root.Values.existingSecret }}
      envFrom:
        - secretRef:
            name: {{ . }}
      {{- end }}
      {{- if eq .part "web" }}
      ports:
        - name: http
          containerPort: {{ .root.Values.web.port }}
      startupProbe:
        tcpSocket:
          port: http
        failureThreshold: 30
      livenessProbe:
        tcpSocket:
          port: http
      {{- end }}
      resources:
        {{- toYaml .resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      volumeMounts:
        - name: settings
          mountPath: /etc/hntes
          readOnly: true
        - name: state
          mountPath: /var/lib/hntes
        - name: flows
          mountPath: /srv/hntes/inbox
          readOnly: true
        - name: tmp
          mountPath: /tmp
  volumes:
    - name: settings
      configMap:
        name: {{ .root.Values.existingConfigMap | default (printf "%s-settings" .root.Release.Name) }}
    - name: state
      persistentVolumeClaim:
        claimName: {{ .root.Values.state.existingClaim | default (printf "%s-state" .root.Release.Name) }}
    - name: flows
      persistentVolumeClaim:
        claimName: {{ required "flows.existingClaim: name the claim with the flow files" .root.Values.flows.existingClaim }}
        readOnly: true
    - name: tmp
      emptyDir:
        sizeLimit: 1Gi
{{- end }}
