//! Runs ops of the original and prints what it finds: reads a list of calls (JSON) from the standard input, writes the
//! list of results to the standard output.
//!
//! For each call: the value, or the kind of the error; and for every input of floating-point numbers the tangent along a
//! given direction and the cotangent for a given one, which stand in the result too.

mod numbers;
mod ops;

use numbers::{read, wave, write};
use serde_json::{Map, Value, json};
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tenferro_ad::{DType, EagerRuntime, EagerTensor, Error, Result, Tensor};
use tenferro_cpu::CpuEngine;

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("calls in the standard input");
    let calls: Vec<Value> = serde_json::from_str(&text).expect("a list of calls");
    let results: Vec<Value> = calls.iter().map(result).collect();
    println!("{}", Value::Array(results));
}

/// The kind of an error, without its family.
fn kind(error: &Error) -> String {
    let kind = format!("{:?}", error.kind());
    kind.trim_start_matches("Validation(").trim_end_matches(')').to_owned()
}

/// What `f` gives, as JSON; an error or a panic by its kind.
fn noted(f: impl FnOnce() -> Result<Value>) -> Value {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => json!({ "error": kind(&error) }),
        Err(_) => json!({ "error": "panic" }),
    }
}

struct Desk {
    runtime: Arc<EagerRuntime>,
    engine: CpuEngine,
}

impl Desk {
    fn new() -> Desk {
        Desk { runtime: EagerRuntime::new().expect("a runtime"), engine: CpuEngine::serial() }
    }

    /// The op's result, and its inputs, of which one may be tracked.
    fn run(&mut self, call: &Value, tracked: Option<usize>) -> Result<(EagerTensor, Vec<EagerTensor>)> {
        let stored = call["inputs"].as_array().expect("a list of inputs");
        let mut inputs = Vec::new();
        for (i, input) in stored.iter().enumerate() {
            let tensor = read(input);
            inputs.push(match tracked == Some(i) {
                true => EagerTensor::requires_grad_in(tensor, self.runtime.clone())?,
                false => EagerTensor::from_tensor_in(tensor, self.runtime.clone())?,
            });
        }
        let name = call["op"].as_str().expect("the name of an op");
        let op = ops::find(name);
        let refs: Vec<&EagerTensor> = inputs.iter().collect();
        let out = self.runtime.with_eager_session(&mut self.engine, |s| op(s, &refs, &ops::Args(&call["args"])))?;
        Ok((out, inputs))
    }

    fn stored(&mut self, x: &EagerTensor) -> Result<Value> {
        Ok(write(&x.to_tensor(&mut self.engine)?))
    }

    fn constant(&self, tensor: Tensor) -> Result<EagerTensor> {
        EagerTensor::from_tensor_in(tensor, self.runtime.clone())
    }
}

fn inexact(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F64 | DType::C32 | DType::C64)
}

fn result(call: &Value) -> Value {
    let mut found = Map::new();
    let mut out = None;
    let value = noted(|| {
        let mut desk = Desk::new();
        let (value, _) = desk.run(call, None)?;
        out = Some((value.dtype(), value.shape().to_vec()));
        desk.stored(&value)
    });
    found.insert("value".to_owned(), value);
    if let Some((dtype, shape)) = out.filter(|(dtype, _)| inexact(*dtype)) {
        let cotangent = wave(dtype, &shape, 1);
        let inputs = call["inputs"].as_array().expect("a list of inputs").len();
        let derivatives = (0..inputs).filter_map(|i| derivative(call, i, &cotangent)).collect();
        found.insert("cotangent".to_owned(), write(&cotangent));
        found.insert("derivatives".to_owned(), Value::Array(derivatives));
    }
    Value::Object(found)
}

/// Tangent and cotangent with respect to input `i`; null where the original finds no path.
fn derivative(call: &Value, i: usize, cotangent: &Tensor) -> Option<Value> {
    let input = read(&call["inputs"][i]);
    if !inexact(input.dtype()) {
        return None;
    }
    let tangent = wave(input.dtype(), input.shape(), 2 + i);
    let jvp = noted(|| {
        let mut desk = Desk::new();
        let (out, inputs) = desk.run(call, Some(i))?;
        let along = desk.constant(read(&write(&tangent)))?;
        let moved = desk.runtime.clone().jvp_optional(&mut desk.engine, &out, &inputs[i], &along)?;
        moved.map_or(Ok(Value::Null), |moved| desk.stored(&moved))
    });
    let vjp = noted(|| {
        let mut desk = Desk::new();
        let (out, inputs) = desk.run(call, Some(i))?;
        let seed = desk.constant(read(&write(cotangent)))?;
        let back = desk.runtime.clone().vjp_optional(&mut desk.engine, &out, &inputs[i], &seed)?;
        back.map_or(Ok(Value::Null), |back| desk.stored(&back))
    });
    Some(json!({ "input": i, "tangent": write(&tangent), "jvp": jvp, "vjp": vjp }))
}
