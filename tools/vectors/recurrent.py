from vectors import *
WIDE = ["f32", "f64"]
W = "tiny_recurrent_weights w = {%s}; "
def cell(G, f, N=2, I=3, H=2):
    return (T(N, I), T(N, H, lo=-1, hi=1), T(G * H, I, lo=-1, hi=1), T(G * H, H, lo=-1, hi=1), T(G * H, lo=-1, hi=1), T(G * H, lo=-1, hi=1))
FIVE = W % "{2}, {3}, {4}, {5}"
op("tiny_rnn_cell", W.replace("{%s}", "{{%s}}") % "{2}, {3}, {4}, {5}" + "out[0] = tiny_rnn_cell({0}, {1}, &w, 0); return 1;", torch.rnn_tanh_cell, [cell(1, 0)], dtypes=WIDE, tol=32)
op("tiny_rnn_cell", W.replace("{%s}", "{{%s}}") % "{2}, {3}, {4}, {5}" + "out[0] = tiny_rnn_cell({0}, {1}, &w, 1); return 1;", torch.rnn_relu_cell, [cell(1, 0)], dtypes=WIDE, tol=32)
op("tiny_gru_cell", W.replace("{%s}", "{{%s}}") % "{2}, {3}, {4}, {5}" + "out[0] = tiny_gru_cell({0}, {1}, &w); return 1;", torch.gru_cell, [cell(3, 0)], dtypes=FLOATS, tol=32, result=real)
op("tiny_lstm_cell", W.replace("{%s}", "{{%s}}") % "{3}, {4}, {5}, {6}" + "out[0] = tiny_lstm_cell({0}, {1}, {2}, &w, &out[1]); return 2;", lambda x, h, c, *w: torch.lstm_cell(x, (h, c), *w), [cell(4, 0)[:2] + (T(2, 2),) + cell(4, 0)[2:]], dtypes=FLOATS, tol=32, result=lambda *d: [real(*d)] * 2)

def weights(G, I, H, layers, directions, bias):
    made = []
    for i in range(layers * directions):
        size = I if i < directions else H * directions
        made += [T(G * H, size, lo=-1, hi=1), T(G * H, H, lo=-1, hi=1)] + [T(G * H, lo=-1, hi=1)] * (2 if bias else 0)
    return tuple(made)
def run(kind, layers, directions, batch_first, bias, states):
    def f(x, *rest):
        names = []
        for layer in range(layers):
            for side in range(directions):
                names += ["%s_l%d%s" % (n, layer, "_reverse" * side) for n in ["weight_ih", "weight_hh"] + ["bias_ih", "bias_hh"] * bias]
        given, w = rest[:states], rest[states:]
        H = w[1].shape[1]
        module = {"rnn": torch.nn.RNN, "relu": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[kind]
        more = {"nonlinearity": "relu"} if kind == "relu" else {}
        m = module(x.shape[-1], H, layers, bias=bool(bias), batch_first=bool(batch_first), bidirectional=directions == 2, **more).to(w[0].dtype)
        for n, v in zip(names, w):
            delattr(m, n)
            setattr(m, n, v)
        y, h = m(x.to(w[0].dtype), given if len(given) > 1 else given[0] if given else None)
        return [y] + (list(h) if isinstance(h, tuple) else [h])
    return f
def sequence(kind, x, layers=1, directions=1, batch_first=0, bias=1, states=0, dtypes=WIDE, H=2, tol=64):
    G = {"rnn": 1, "relu": 1, "lstm": 4, "gru": 3}[kind]
    N = x[1 - batch_first] if len(x) == 3 else None
    state = T(*([layers * directions] + ([N] if len(x) == 3 else []) + [H]), lo=-1, hi=1)
    per = 4 if bias else 2
    cells = ", ".join("{" + ", ".join("in[%d]" % (1 + states + per * i + j) if j < per else "NULL" for j in range(4)) + "}" for i in range(layers * directions))
    body = "tiny_recurrent_weights w[] = {%s}; tiny_recurrent_desc d; memset(&d, 0, sizeof d); d.layers = %d; d.bidirectional = %d; d.batch_first = %d; d.relu = %d; " % (cells, layers, directions == 2, batch_first, kind == "relu")
    h, c = ["in[1]" if states else "NULL", "in[2]" if states else "NULL"]
    if kind == "lstm": body += "out[0] = tiny_lstm(in[0], %s, %s, w, &d, &out[1], &out[2]); return 3;" % (h, c)
    else: body += "out[0] = tiny_%s(in[0], %s, w, &d, &out[1]); return 2;" % ("rnn" if kind == "relu" else kind, h)
    op("tiny_" + ("rnn" if kind == "relu" else kind), body, run(kind, layers, directions, batch_first, bias, states),
       [(T(*x),) + (state,) * states + weights(G, x[-1], H, layers, directions, bias)], dtypes=dtypes, tol=tol,
       result=lambda *d: [real(*d)] * (3 if kind == "lstm" else 2))
for kind in ("rnn", "gru", "lstm"):
    n = 2 if kind == "lstm" else 1
    sequence(kind, (3, 2, 3), states=n, dtypes=["f16", "f32", "f64"])
    sequence(kind, (2, 3), bias=0, H=3)
    sequence(kind, (2, 3, 2), layers=2, directions=2, batch_first=1, states=n, dtypes=["f32"])
sequence("relu", (3, 1, 2), layers=2)
sequence("lstm", (1, 2, 2), directions=2, H=1)
